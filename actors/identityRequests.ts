import { type IdentityRequest, readIdentityRequest } from "../src/persons/mod.ts";
import type { Delivered } from "./contract.ts";

export interface Told {
  at: Delivered;
  request: IdentityRequest;
}

const read = new WeakMap<readonly Delivered[], readonly Told[]>();

/** What the messages of a batch of the identity lane ask for: read once, for all steps of all actors that look at the batch. */
export const requestsOf = (batch: readonly Delivered[]): readonly Told[] =>
  read.getOrInsertComputed(batch, () => batch.map((at) => ({ at, request: readIdentityRequest(at.event) })));
