import { type Json, type JsonObject, TerminalError } from "../../types/mod.ts";
import { readBody } from "../body.ts";
import type { Reservation } from "../byteBudget.ts";
import { decodePayload } from "../decode.ts";
import { checkToken } from "../token.ts";

/** The project key in the body of a question. Throws as `readBody`, `decodePayload` and `checkToken`. */
export async function askedToken(request: Request, maxBytes: number, reservation: Reservation): Promise<string> {
  const body = await readBody(request, maxBytes, reservation);
  const hints = {
    contentType: request.headers.get("content-type"),
    contentEncoding: request.headers.get("content-encoding"),
    data: "",
    compression: new URL(request.url).searchParams.get("compression"),
    isLegacyPath: true,
  };
  const question = parseObject(decodePayload(body, hints, maxBytes, reservation).toString());
  return checkToken(question.token ?? question.api_key ?? question.$token ?? null);
}

function parseObject(text: string): JsonObject {
  let value: Json = null;
  try {
    value = JSON.parse(text) as Json;
  } catch (cause) {
    throw new TerminalError("invalid_payload", "failed to parse request: not JSON", { cause });
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    throw new TerminalError("invalid_payload", "failed to parse request: not an object");
  }
  return value;
}
