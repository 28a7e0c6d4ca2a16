import type { Catalog } from "../lake/mod.ts";
import type { Bus } from "../stream/mod.ts";
import { LANES } from "../types/mod.ts";

const LOOK_MS = 100;

interface SettledParts {
  bus: Pick<Bus, "lastSequenceOf">;
  catalog: Pick<Catalog, "currentGeneration" | "committedPositions">;
  timeoutMs: number;
  signal: AbortSignal;
}

/** Waits until everything that the broker has now is stored. False where that takes longer. */
export async function untilSettled({ bus, catalog, timeoutMs, signal }: SettledParts): Promise<boolean> {
  const current = await catalog.currentGeneration();
  if (current === null) return true;
  const { generation, partitions } = current;
  const wanted = new Map<string, number>();
  for (let partition = 0; partition < partitions; partition++) {
    const lasts = LANES.map((lane) => bus.lastSequenceOf({ lane, generation, partition }));
    for (const [i, last] of (await Promise.all(lasts)).entries()) {
      if (last > 0) wanted.set(`${LANES[i]}/${partition}`, last);
    }
  }
  for (const giveUpAtMs = performance.now() + timeoutMs; ; await Bun.sleep(LOOK_MS)) {
    signal.throwIfAborted();
    for (const { lane, partition, position } of await catalog.committedPositions(generation)) {
      if (position >= (wanted.get(`${lane}/${partition}`) ?? 0)) wanted.delete(`${lane}/${partition}`);
    }
    // The next generation is opened when all before it are settled.
    const isOver = (await catalog.currentGeneration())?.generation !== generation;
    if (wanted.size === 0 || isOver) return true;
    if (performance.now() > giveUpAtMs) return false;
  }
}
