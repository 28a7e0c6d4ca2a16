import { describe, expect, test } from "bun:test";
import { arrived, begun, type Feed, KEPT, NO_FEED, resumed } from "../../src/web/app/pages/events/feed.ts";
import { lateText, momentOf } from "../../src/web/app/pages/events/moments.ts";
import { addressOf, readShown } from "../../src/web/app/pages/events/shown.ts";
import { Random } from "../support/random.ts";
import { TEST_SEED } from "../support/seed.ts";

interface Row {
  id: number;
}

/** A reader that stops and goes on while events come, compared with a plain list of all that came. */
function play(seed: number): void {
  const random = new Random(seed);
  let feed: Feed<Row> = begun(NO_FEED, [{ id: -1 }, { id: -2 }], { isPaused: false });
  /** The last first. */
  let all: number[] = [-1, -2];
  let shown = all;
  let came = 0;
  let isPaused = false;
  for (let step = 0; step < 60; step++) {
    if (random.next() < 0.3) {
      isPaused = !isPaused;
      if (!isPaused) feed = resumed(feed);
    }
    const count = random.int(0, random.chance(0.2) ? 3 * KEPT : 5);
    const ids = Array.from({ length: count }, (_, n) => came + count - n);
    came += count;
    all = [...ids, ...all];
    feed = arrived(feed, { rows: ids.slice(0, KEPT).map((id) => ({ id })), count }, { isPaused });
    if (!isPaused) shown = all;
    expect(feed.rows.map(({ id }) => id)).toEqual(shown.slice(0, KEPT));
    expect(feed.waitingCount).toBe(isPaused ? all.length - shown.length : 0);
    expect(feed.cameCount).toBe(came);
    expect(feed.waiting.length).toBeLessThanOrEqual(KEPT);
    const numbers = [...feed.waiting, ...(feed.isAnew ? [] : feed.rows)].map(({ n }) => n);
    expect(numbers).toEqual(numbers.toSorted((a, b) => b - a));
    expect(new Set(numbers).size).toBe(numbers.length);
  }
}

describe("the list of what comes", () => {
  test("has the last of all that came, without a gap, whoever stops and goes on", () => {
    for (let round = 0; round < 30; round++) play(TEST_SEED + round);
  });

  test("that was cut off begins anew; while somebody reads, the old one stays", () => {
    const first = begun(NO_FEED, [{ id: 1 }], { isPaused: false });
    const read = begun(first, [{ id: 9 }, { id: 8 }], { isPaused: true });
    expect([read.rows.map(({ id }) => id), read.waitingCount]).toEqual([[1], 2]);
    const more = arrived(read, { rows: [{ id: 10 }], count: 1 }, { isPaused: true });
    expect(resumed(more).rows.map(({ id }) => id)).toEqual([10, 9, 8]);
    expect(begun(first, [{ id: 9 }], { isPaused: false }).rows.map(({ id }) => id)).toEqual([9]);
  });
});

test("a time is as short as it can be, and says how late an event came", () => {
  const now = Date.parse("2026-05-02T10:00:00Z");
  const said = (at: string) => momentOf(at, "UTC", now);
  expect(said("2026-05-02T09:05:07Z")).toBe("09:05:07");
  expect(said("2026-05-01T09:05:07Z")).toBe("1 May, 09:05:07");
  expect(said("2025-05-02T09:05:07Z")).toBe("2 May 2025, 09:05:07");
  const late = (at: string) => lateText({ at, cameAt: "2026-05-02T10:00:00Z" });
  expect(late("2026-05-02T09:59:30Z")).toBeNull();
  expect(late("2026-05-02T09:58:30Z")).toBe("1 minute late");
  expect(late("2026-05-02T12:58:30Z")).toBe("2 hours ahead");
  expect(late("2021-05-02T10:00:00Z")).toBe("1,826 days late");
});

test("what is shown stands in the address, whatever is written there", () => {
  const filter = { type: "event", key: "a & b", operator: "exact", value: ["x#y"] };
  const shown = {
    entity: { kind: "EventsNode", event: "a?b" } as const,
    filters: [filter],
    columns: ["$browser", "ö`\\"],
    past: { date_from: "2026-05-01", date_to: "2026-05-02" },
  };
  const read = (address: string) => readShown(Object.fromEntries(new URLSearchParams(address.split("?")[1] ?? "")));
  expect(read(addressOf("/e", shown))).toEqual(shown);
  const action = { ...shown, entity: { kind: "ActionsNode", id: 7, name: "Buys" } as const, past: null };
  expect(read(addressOf("/e", action))).toEqual(action);
  const nothing = { entity: { kind: "EventsNode", event: null }, filters: [], columns: [], past: null };
  expect(addressOf("/e", read("/e"))).toBe("/e");
  for (const strange of ["filters=1&columns={}", "filters=[1]&columns=[1,null]", "action=x", "filters=[&columns=["]) {
    expect(read(`/e?${strange}`)).toEqual(nothing as never);
  }
});
