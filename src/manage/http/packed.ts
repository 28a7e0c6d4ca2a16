import { promisify } from "node:util";
import { gzip } from "node:zlib";

const pack = promisify(gzip);
/** A packet of the network has as much: less is no faster. */
const LEAST_BYTES = 1_400;

/**
 * The answer with its body packed, where the request takes that: for people in front of a browser, who may be far away. Programs
 * are near, and would wait for the packing. No answer has a secret of a session in it whose length could tell something.
 */
export async function packed(request: Request, response: Response): Promise<Response> {
  const isTaken = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(request.headers.get("accept-encoding") ?? "");
  if (!isTaken || response.body === null || response.headers.has("content-encoding")) return response;
  const bytes = new Uint8Array(await response.arrayBuffer());
  const { status, headers } = response;
  if (bytes.length < LEAST_BYTES) return new Response(bytes, { status, headers });
  headers.set("Content-Encoding", "gzip");
  headers.set("Vary", "Accept-Encoding");
  return new Response(await pack(bytes), { status, headers });
}
