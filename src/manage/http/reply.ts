import { textsOf } from "./longList.ts";

const JSON_HEADERS = { "Content-Type": "application/json;charset=utf-8" };

/** A JSON answer. Where there are long lists in it, they are sent from where they lie, as fast as the client reads. */
export function json(value: unknown, status = 200): Response | Promise<Response> {
  const parts = textsOf(value);
  if (parts.length === 1) return new Response(parts[0], { status, headers: JSON_HEADERS });
  return streamed(
    parts.map((part) => (typeof part === "string" ? onlyText(part) : part.text())),
    { status, headers: JSON_HEADERS },
  );
}

async function* onlyText(text: string): AsyncGenerator<string> {
  yield text;
}

/** How answers that are made while they are sent end before their end. */
const ENDS = new WeakMap<Response, () => Promise<unknown>>();

export const isStreamed = (response: Response): boolean => ENDS.has(response);

/** Ends an answer that will not be read, and frees what it holds. */
export async function endStream(response: Response): Promise<void> {
  await ENDS.get(response)?.();
}

/**
 * An answer that is made while it is sent: the texts of all sources in order. Each is begun first, so that what one throws is
 * an answer of its own and not a broken one.
 */
export async function streamed(
  sources: readonly AsyncGenerator<string | Uint8Array>[],
  init: ResponseInit,
): Promise<Response> {
  const end = () => Promise.all(sources.map((source) => source.return(undefined)));
  let begun: IteratorResult<string | Uint8Array>[];
  try {
    begun = await inTurn(sources);
  } catch (error) {
    await end();
    throw error;
  }
  const texts = inOrder(sources, begun);
  const encoder = new TextEncoder();
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await texts.next();
        if (done) controller.close();
        else controller.enqueue(typeof value === "string" ? encoder.encode(value) : value);
      },
      async cancel() {
        await end();
      },
    },
    { highWaterMark: 0 },
  );
  const response = new Response(stream, init);
  ENDS.set(response, end);
  return response;
}

async function inTurn<T>(sources: readonly AsyncGenerator<T>[]): Promise<IteratorResult<T>[]> {
  const begun: IteratorResult<T>[] = [];
  for (const source of sources) begun.push(await source.next());
  return begun;
}

async function* inOrder<T>(sources: readonly AsyncGenerator<T>[], begun: readonly IteratorResult<T>[]) {
  for (const [i, source] of sources.entries()) {
    const first = begun[i]!;
    if (first.done) continue;
    yield first.value;
    yield* source;
  }
}

/**
 * An answer that the client may keep for so many seconds, and nobody in between: by a cookie a proxy could not see that it is
 * meant for one user.
 */
export async function keptFor(seconds: number, value: unknown): Promise<Response> {
  const response = await json(value);
  response.headers.set("Cache-Control", `private, max-age=${seconds}`);
  response.headers.set("Vary", "Authorization, Cookie");
  return response;
}

/** An answer without a body. */
export function empty(status: number): Response {
  return new Response(null, { status });
}

/** ISO 8601 in UTC, or null. */
export function isoTime(ms: number): string;
export function isoTime(ms: number | null): string | null;
export function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
