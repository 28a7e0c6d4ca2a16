import type { Lane } from "../../types/mod.ts";
import { ApiError, apiErrorCode, apiErrorText, type Link } from "./link.ts";
import { findStream, lastOf, streamName } from "./streams.ts";

/** Removals that wait for an answer of the cluster. */
const AT_ONCE = 64;
/** A removal that failed for this reason has been done already. */
const GONE = "no message found";
/** So many, then the stream is looked at again: another process may remove as well. */
const BETWEEN_LOOKS = 1_024;
/** One call takes about so long, because the caller has other things to look after. */
const CALL_MS = 250;

/**
 * Removes everything below a sequence, of all partitions at once (protocol rule 8). False: more is left, and another call goes on with it.
 *
 * A cluster is asked to remove each message by itself, and keeps the newest. Its servers do again what they did last when they start after a
 * crash, and nats-server before 2.9.18 then takes a purge up to a sequence for a purge of all that the stream held at that time: of the frames
 * that wait too.
 */
export async function purgeBelow(link: Link, lane: Lane, generation: number, sequence: number): Promise<boolean> {
  const name = streamName(lane, generation);
  if (link.isCluster) return removeInTurn(link, name, sequence);
  await link.api((jsm) => jsm.streams.purge(name, { seq: sequence }));
  return true;
}

async function removeInTurn(link: Link, name: string, below: number): Promise<boolean> {
  const endsAtMs = performance.now() + CALL_MS;
  while (performance.now() < endsAtMs) if (!(await removeSome(link, name, below))) return true;
  return false;
}

/** Removes the message of a subject that has one at most, in a cluster and elsewhere. */
export async function removeOne(link: Link, stream: string, subject: string): Promise<void> {
  const sequence = await lastOf(link, stream, subject);
  if (sequence > 0) await remove(link, stream, sequence);
}

/** Whether there may be more. */
async function removeSome(link: Link, name: string, below: number): Promise<boolean> {
  const info = await findStream(link, name);
  if (info === null) return false;
  const { first_seq: first, last_seq: last } = info.state;
  const all = Math.min(below, last);
  const end = Math.min(all, first + BETWEEN_LOOKS);
  let next = first;
  const removeNext = async () => {
    while (next < end) await remove(link, name, next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, removeNext));
  return end < all;
}

async function remove(link: Link, name: string, sequence: number): Promise<void> {
  try {
    await link.api((jsm) => jsm.streams.deleteMessage(name, sequence, false));
  } catch (error) {
    const code = apiErrorCode(error);
    const isGone =
      code === ApiError.sequenceNotFound || (code === ApiError.deleteFailed && apiErrorText(error) === GONE);
    if (!isGone) throw error;
  }
}
