import { isJsonObject, type Json } from "../types/mod.ts";
import { parseExact, stringifyExact } from "./exact.ts";

const TEXT_MAX = 500;

/** The body of an answer; the beginning of its text where it is no JSON. */
export function bodyOf(text: string): Json {
  try {
    return parseExact(text);
  } catch {
    return text.slice(0, TEXT_MAX);
  }
}

/** What an answer that refuses says: its sentence, with the field that it is about; else all of it. */
export function detailOf(body: Json): string {
  if (isJsonObject(body)) {
    const detail = body.detail ?? body.error ?? body.message;
    if (typeof detail === "string") return typeof body.attr === "string" ? `${body.attr}: ${detail}` : detail;
  }
  return (typeof body === "string" ? body : stringifyExact(body)).slice(0, TEXT_MAX);
}

/** How long an answer asks to wait; null where it does not tell seconds. */
export function waitMsOf(response: Response): number | null {
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null;
}
