import { describe, expect, test } from "bun:test";
import { connectBus, type Task, type TaskOutcome, type WorkQueueOptions } from "../../src/stream/mod.ts";
import { until, withBroker } from "../support/broker.ts";

const OPTIONS: WorkQueueOptions = { name: "test", ackWaitMs: 600, maxAgeMs: 600_000, log: () => {} };
const DONE: TaskOutcome = { kind: "done" };

describe("a work queue", () => {
  test("gives each task to one of those who take, in order, and forgets it when it is done", () =>
    withBroker(async ({ bus, url }) => {
      const queue = bus.workQueue(OPTIONS);
      for (let i = 0; i < 20; i++) await queue.put(`id-${i}`, String(i));
      const other = await connectBus(url);
      const taken: number[] = [];
      const handle = async (task: Task) => {
        taken.push(Number(task.payload));
        expect(task.deliveries).toBe(1);
        return DONE;
      };
      const stops = [queue, other.workQueue(OPTIONS)].map((one) => one.work(2, handle));
      await until(() => taken.length === 20);
      await Promise.all(stops.map((stop) => stop()));
      await other.close();
      expect(taken.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
      await queue.put("last", "last");
      const left: string[] = [];
      const stop = queue.work(1, async ({ payload }) => {
        left.push(payload);
        return DONE;
      });
      await until(() => left.length > 0);
      await stop();
      expect(left).toEqual(["last"]);
    }));

  test("takes the same id once", () =>
    withBroker(async ({ bus }) => {
      const queue = bus.workQueue(OPTIONS);
      const taken: string[] = [];
      const stop = queue.work(1, async ({ payload }) => {
        taken.push(payload);
        return DONE;
      });
      for (const [id, payload] of [
        ["a", "first"],
        ["a", "again"],
        ["b", "second"],
      ] as const)
        await queue.put(id, payload);
      await until(() => taken.includes("second"));
      await stop();
      expect(taken).toEqual(["first", "second"]);
    }));

  test("works on as many at once as asked for, for as long as they take", () =>
    withBroker(async ({ bus }) => {
      const queue = bus.workQueue(OPTIONS);
      const gate = Promise.withResolvers<void>();
      let running = 0;
      let highest = 0;
      let runs = 0;
      const stop = queue.work(2, async () => {
        runs++;
        highest = Math.max(highest, ++running);
        await gate.promise;
        running--;
        return DONE;
      });
      for (const id of ["a", "b", "c"]) await queue.put(id, id);
      await until(() => running === 2);
      // Longer than the wait after which a silent task is given to another.
      await Bun.sleep(2 * OPTIONS.ackWaitMs);
      gate.resolve();
      await until(() => runs === 3 && running === 0);
      await stop();
      expect([runs, highest]).toEqual([3, 2]);
    }));

  test("gives a task again to be tried again, also after an error, and says how often", () =>
    withBroker(async ({ bus }) => {
      const queue = bus.workQueue(OPTIONS);
      const deliveries: number[] = [];
      const stop = queue.work(1, async (task): Promise<TaskOutcome> => {
        deliveries.push(task.deliveries);
        if (task.deliveries === 1) return { kind: "again", pauseMs: 1 };
        if (task.deliveries === 2) throw new Error("a defect");
        return DONE;
      });
      await queue.put("a", "a");
      await until(() => deliveries.length === 3);
      await stop();
      expect(deliveries).toEqual([1, 2, 3]);
    }));

  test("keeps its tasks over a restart of the broker, and refuses new ones meanwhile", () =>
    withBroker(async ({ bus, broker }) => {
      const queue = bus.workQueue(OPTIONS);
      await queue.put("before", "before");
      process.kill(broker.pid, "SIGKILL");
      await until(() => !bus.isConnected);
      expect(queue.put("meanwhile", "meanwhile")).rejects.toMatchObject({
        code: "broker_unavailable",
        retryable: true,
      });
      await until(() => bus.isConnected, 60_000);
      const taken: string[] = [];
      const stop = queue.work(1, async ({ payload }) => {
        taken.push(payload);
        return DONE;
      });
      await until(() => taken.length === 1, 60_000);
      await queue.put("after", "after");
      await until(() => taken.length === 2, 60_000);
      await stop();
      expect(taken).toEqual(["before", "after"]);
    }));
});
