import { stat } from "node:fs/promises";
import { notFound } from "../http/errors.ts";

const RANGE = /^bytes=(?:(\d{1,15})-(\d{1,15})?|-(\d{1,15}))$/;

/** A file of this machine as an answer; the part of it that a `Range` asks for. Throws ApiError 404 where it is gone. */
export async function fileAnswer(request: Request, path: string, name: string): Promise<Response> {
  const facts = await stat(path).catch(() => null);
  if (facts === null || !facts.isFile()) throw notFound("The file is gone: make it anew.");
  const headers = {
    "Content-Type": "application/octet-stream",
    "Content-Disposition": `attachment; filename="${name}"`,
    "Accept-Ranges": "bytes",
  };
  const asked = request.headers.get("range");
  const range = asked === null ? null : rangeOf(asked, facts.size);
  const file = Bun.file(path);
  if (range === null) return new Response(file, { headers: { ...headers, "Content-Length": String(facts.size) } });
  if (range === "beyond") {
    return new Response(null, { status: 416, headers: { "Content-Range": `bytes */${facts.size}` } });
  }
  const { first, end } = range;
  return new Response(file.slice(first, end), {
    status: 206,
    headers: {
      ...headers,
      "Content-Length": String(end - first),
      "Content-Range": `bytes ${first}-${end - 1}/${facts.size}`,
    },
  });
}

/** One range of bytes; null for what is no range, or several, which counts as none. */
function rangeOf(text: string, size: number): { first: number; end: number } | "beyond" | null {
  const match = RANGE.exec(text.trim());
  if (match === null) return null;
  const [, from, to, last] = match;
  if (last !== undefined) {
    if (Number(last) === 0 || size === 0) return "beyond";
    return { first: Math.max(0, size - Number(last)), end: size };
  }
  const first = Number(from);
  if (to !== undefined && Number(to) < first) return null;
  return first >= size ? "beyond" : { first, end: to === undefined ? size : Math.min(size, Number(to) + 1) };
}
