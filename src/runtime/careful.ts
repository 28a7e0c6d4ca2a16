import type { Delivered } from "../../actors/contract.ts";
import type { Epoch } from "../lake/mod.ts";
import { ordinalOf, TerminalError } from "../types/mod.ts";
import { Batch } from "./batch.ts";
import { type FlushResult, flush } from "./flush.ts";
import type { FlushTools } from "./flushTools.ts";
import { CAREFUL_FROM_ATTEMPTS, isKiller, type Take } from "./ownedPartition.ts";
import { runActors } from "./step.ts";
import type { World } from "./world.ts";
import { writeSegments } from "./writeSegments.ts";

/** An event hangs the worker: the process must end, so that the next owner learns it from what was in hand. */
export class HangingEvent extends TerminalError {
  constructor() {
    super("hanging_event", `an event takes longer than ${TRIAL_DEADLINE_MS} ms alone`);
  }
}

/** One event that takes longer than this alone is taken to hang the worker. */
const TRIAL_DEADLINE_MS = 30_000;

/**
 * A frame of a partition that has cost several workers: it is flushed alone; if that fails too, each of its events is
 * first tried alone, its ordinal written to the catalog before, so that the one that kills is known to the next owner.
 * After a third death it is set aside (protocol rule 22).
 */
export async function carefulFlush(tools: FlushTools, take: Take): Promise<FlushResult> {
  const { from, frames } = take;
  if (from.attempts > CAREFUL_FROM_ATTEMPTS) {
    const batch = new Batch();
    const clock = { lastMs: from.lastMs };
    for (const frame of frames) batch.add(frame, clock);
    const place = { generation: tools.generation, lane: from.lane, epoch: from.epoch };
    for (const at of batch.delivered) {
      if (isKiller(from, at)) continue;
      await tools.catalog.takeInHand({ ...place, ordinal: ordinalOf(at.sequence, at.index) });
      await withDeadline(tools.world, tryAlone(tools, at, from.epoch), () =>
        tools.catalog.takeInHand({ ...place, ordinal: null }),
      );
    }
  }
  return flush(tools, [take]);
}

/** Everything that happens to an event, without a lasting effect. Failures by exception are the flush's to handle. */
async function tryAlone(tools: FlushTools, at: Delivered, epoch: Epoch): Promise<void> {
  const written = await writeSegments(tools, await runActors(tools.actors, [at], tools), [epoch]);
  await tools.catalog.abandon(written.ids);
}

/** `over` runs when the trial has ended, well or by an exception; after a hang it must not. */
async function withDeadline(world: World, trial: Promise<void>, over: () => Promise<void>): Promise<void> {
  let ended = false;
  const deadline = world.sleep(TRIAL_DEADLINE_MS).then(() => {
    if (!ended) throw new HangingEvent();
  });
  try {
    await Promise.race([trial.finally(over), deadline]);
  } finally {
    ended = true;
  }
}
