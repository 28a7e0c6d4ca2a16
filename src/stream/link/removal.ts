import type { Lane } from "../../types/mod.ts";
import { ApiError, apiErrorCode, apiErrorText, type Link } from "./link.ts";
import { findStream, lastOf, streamName } from "./streams.ts";

/** Removals that wait for an answer of the cluster. */
const AT_ONCE = 64;
/** Texts of removals that had been done already. */
const GONE = /^(no message found|deleted message|sequence \d+ not found)$/;
/** So many, then the stream is looked at again. */
const BETWEEN_LOOKS = 1_024;
/** A process that finds more than the rest gone is not the only one that removes. */
const MINE_MIN = 0.75;
/** One call takes about so long, because the caller has other things to look after. */
const CALL_MS = 250;

/**
 * Removes everything below a sequence, of all partitions at once (protocol rule 8). False: more is left, and another call goes on.
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
  if (sequence !== null) await remove(link, stream, sequence);
}

/** Whether this process is to go on: there is more, and no other one seems to be at it. */
async function removeSome(link: Link, name: string, below: number): Promise<boolean> {
  const info = await findStream(link, name);
  if (info === null) return false;
  const { first_seq: first, last_seq: last } = info.state;
  const all = Math.min(below, last);
  const end = Math.min(all, first + BETWEEN_LOOKS);
  let next = first;
  let removed = 0;
  const removeNext = async () => {
    while (next < end) if (await remove(link, name, next++)) removed++;
  };
  await Promise.all(Array.from({ length: AT_ONCE }, removeNext)).finally(() => {
    next = end;
  });
  if (end >= all) return false;
  // Of several processes about half leave it to the others.
  return removed >= (end - first) * MINE_MIN || Math.random() < 0.5;
}

/** False: it was gone already. */
async function remove(link: Link, name: string, sequence: number): Promise<boolean> {
  try {
    return await link.api((jsm) => jsm.streams.deleteMessage(name, sequence, false));
  } catch (error) {
    // Another process has removed it, or this one has, and the answer was lost.
    const isGone = [ApiError.sequenceNotFound, ApiError.deleteFailed].some((code) => code === apiErrorCode(error));
    if (!isGone || !GONE.test(apiErrorText(error) ?? "")) throw error;
    return false;
  }
}
