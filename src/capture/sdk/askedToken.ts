import { ownerAt, read } from "../aside/reading.ts";
import { readBody } from "../body/body.ts";
import { SMALL_BYTES } from "../body/byteBudget.ts";
import type { Shared } from "../front/shared.ts";
import { readQuestion } from "../payload/question.ts";

/** The project key in the body of a question. Throws as `readBody` and `readQuestion`. */
export async function askedToken(
  request: Request,
  maxBytes: number,
  address: string | null,
  shared: Pick<Shared, "budget" | "uploads" | "turns" | "aside">,
): Promise<string> {
  const reservation = shared.budget.reserve(address);
  try {
    const body = await readBody(request, { ...shared, maxBytes, address, reservation });
    const hints = {
      contentType: request.headers.get("content-type"),
      contentEncoding: request.headers.get("content-encoding"),
      data: "",
      compression: new URL(request.url).searchParams.get("compression"),
      isLegacyPath: true,
    };
    // All of it becomes values, which takes longer than notes.
    const limits = { maxBytes, hereMaxBytes: SMALL_BYTES };
    const here = () => ({ token: readQuestion(body, hints, limits) });
    const { token } = await read(shared, ownerAt(address), body, SMALL_BYTES, here, {
      name: "question",
      input: { body, maxBytes, hints },
    });
    return token;
  } finally {
    reservation.release();
  }
}
