import { uuidV5 } from "../../types/mod.ts";

/** The namespace of uuids that are derived from a request. */
const NAMESPACE = Buffer.from("8d3f7e0c5b0a4c1e9a4d6f2b71c85e39", "hex");

/**
 * Uuids for the events of a request that carry none, so that a copy of the request gives the same: from the client's
 * `Idempotency-Key` and the body's digest together, because a key used again for another body must not lose events.
 */
export function idempotentUuids(teamId: number, key: string, digest: string): (index: number) => string {
  const request = `${teamId}:${key.length}:${key}:${digest}`;
  return (index) => uuidV5(NAMESPACE, `${request}:${index}`);
}
