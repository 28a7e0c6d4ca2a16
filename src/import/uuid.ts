import { createHash } from "node:crypto";
import { parseUuid, uuidV5 } from "../types/mod.ts";

/** The bytes of a namespace from its name: 16 bytes as they are (as PostHog's importer has them), else a hash. */
function namespaceOf(name: string): Uint8Array {
  const bytes = Buffer.from(name, "utf8");
  return bytes.length === 16 ? bytes : createHash("sha256").update(bytes).digest().subarray(0, 16);
}

const namespaces = new Map<string, Uint8Array>();

/**
 * A name-based uuid (version 5) in the namespace of this name: the same parts give the same uuid, in any run on any machine.
 * A single part is its own name; several are written as a JSON list, so that none runs into the next.
 */
export function uuidOf(namespace: string, ...parts: readonly (string | number)[]): string {
  let bytes = namespaces.get(namespace);
  if (bytes === undefined) {
    bytes = namespaceOf(namespace);
    namespaces.set(namespace, bytes);
  }
  return uuidV5(bytes, parts.length === 1 ? String(parts[0]) : JSON.stringify(parts));
}

/** The source's own id where it is a uuid, else one made of it. */
export function uuidFrom(namespace: string, id: string): string {
  return parseUuid(id) ?? uuidOf(namespace, id);
}
