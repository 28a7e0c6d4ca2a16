import { expect, test } from "bun:test";
import { Confirmation } from "../../src/stream/read/confirmation.ts";
import { until } from "../support/broker.ts";

/** The stream as its leader has it; deliveries come from a copy. */
class Leader {
  readonly handedOver: number[] = [];
  refused = 0;
  asked = 0;
  readonly confirmation: Confirmation<{ sequence: number }>;

  constructor(readonly stored: number[]) {
    this.confirmation = new Confirmation({
      leaderLast: 0,
      next: async () => {
        this.asked++;
        await Bun.sleep(1);
        const last = this.handedOver.at(-1) ?? 0;
        return this.stored.find((sequence) => sequence > last) ?? null;
      },
      onConfirmed: ({ sequence }) => this.handedOver.push(sequence),
      onRefused: () => this.refused++,
    });
  }

  deliver(...sequences: number[]): void {
    for (const sequence of sequences) this.confirmation.add({ sequence });
  }
}

test("deliveries are handed over in order, with gaps that the leader has too", async () => {
  const leader = new Leader([3, 4, 9, 12]);
  leader.deliver(3, 4, 9);
  await until(() => leader.confirmation.isEmpty);
  leader.deliver(12);
  await until(() => leader.confirmation.isEmpty);
  expect(leader).toMatchObject({ handedOver: [3, 4, 9, 12], refused: 0, asked: 4 });
});

test("a delivery before which one is missing is refused, and none after it is handed over", async () => {
  const leader = new Leader([3, 4, 9, 12]);
  leader.deliver(3, 9, 12);
  await until(() => leader.refused > 0);
  leader.confirmation.close();
  await Bun.sleep(20);
  expect(leader).toMatchObject({ handedOver: [3], refused: 1 });
});

test("a leader that does not know of a delivery yet is asked again", async () => {
  const leader = new Leader([3]);
  leader.deliver(3, 4);
  await until(() => leader.asked > 4);
  expect(leader.handedOver).toEqual([3]);
  leader.stored.push(4);
  await until(() => leader.confirmation.isEmpty);
  expect(leader).toMatchObject({ handedOver: [3, 4], refused: 0 });
});

test("nothing is handed over once it is closed", async () => {
  const leader = new Leader([3, 4]);
  leader.deliver(3, 4);
  leader.confirmation.close();
  await Bun.sleep(20);
  expect(leader).toMatchObject({ handedOver: [], refused: 0 });
});
