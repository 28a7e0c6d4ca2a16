import type { WorkQueue } from "../../stream/mod.ts";
import type { Jobs } from "./jobs.ts";

/** How often a process that is busy looks for a project of which nothing runs. */
const LOOK_MS = 250;

/**
 * Takes background queries, `atOnce` of them, until the returned function is called; that waits for those in hand. When all are
 * busy and a project waits of which nothing runs, one more is taken: the reserve, which serves only such. So no project holds up
 * all others.
 */
export function takeBackgroundQueries(
  queue: Pick<WorkQueue, "work" | "workOnce">,
  jobs: Pick<Jobs, "run" | "hasStarved">,
  atOnce: number,
): () => Promise<void> {
  if (atOnce === 0) return async () => {};
  let running = 0;
  const endWork = queue.work(atOnce, async (task) => {
    running++;
    return jobs.run(task).finally(() => running--);
  });
  const stopped = Promise.withResolvers<void>();
  let isStopped = false;
  const serveStarved = async () => {
    for (;;) {
      await Promise.race([Bun.sleep(LOOK_MS), stopped.promise]);
      if (isStopped) return;
      // While the record store is away nothing can be taken.
      if (running < atOnce || !(await jobs.hasStarved().catch(() => false))) continue;
      await queue.workOnce((task) => jobs.run(task, { onlyStarved: true }));
    }
  };
  const served = serveStarved();
  return async () => {
    isStopped = true;
    stopped.resolve();
    await Promise.all([endWork(), served]);
  };
}
