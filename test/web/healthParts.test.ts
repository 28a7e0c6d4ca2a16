import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { gapsOf, stepsOf } from "../../src/web/app/pages/health/steps.ts";
import type { Past, Status } from "../../src/web/app/pages/health/types.ts";
import { verdictOf } from "../../src/web/app/pages/health/verdict.ts";

const MINUTE = 60_000;
const NOW = Date.now();

/** A history in which all events are stored; null: no figures of that minute. */
function pastOf(stored: readonly (number | null)[], o: Partial<Past> = {}): Past {
  const zero = stored.map((value) => (value === null ? null : 0));
  return {
    step: "minute",
    step_ms: MINUTE,
    date_from: new Date(NOW - stored.length * MINUTE).toISOString(),
    accepted: [...stored],
    queued: zero,
    stored: [...stored],
    duplicates: zero,
    dropped: zero,
    dead_letters: zero,
    queued_max: zero,
    lag_ms: { live: zero, history: zero, overflow: zero, identity: zero },
    missing: stored.map((value) => (value === null ? 1 : 0)),
    problem: stored.map(() => null),
    ...o,
  };
}

function statusOf(o: Partial<Status> & { waiting?: Partial<Status["lanes"]> } = {}): Status {
  const idle = { queued: 0, lag_ms: 0 };
  const { waiting = {}, ...rest } = o;
  return {
    accepted: 100,
    queued: 0,
    stored: 100,
    duplicates: 0,
    dropped: 0,
    dead_letters: 0,
    dropped_by_cause: {},
    lag_ms: 0,
    lanes: { live: idle, history: idle, overflow: idle, identity: idle, ...waiting },
    refusal: null,
    front: { event_max_bytes: 1_000_000, json_max_depth: 200 },
    ...rest,
  };
}

const grown = fc.array(fc.option(fc.nat(50), { nil: null, freq: 4 }), { minLength: 2, maxLength: 120 });

describe("the places of a chart", () => {
  test("have all that came between the first and the last known total, whatever is missing and however they are grouped", () => {
    fc.assert(
      fc.property(grown, fc.integer({ min: 1, max: 30 }), (came, group) => {
        let total = 0;
        const totals = came.map((value) => {
          total += value ?? 0;
          return value === null ? null : total;
        });
        const known = totals.filter((value) => value !== null);
        const { became, atMs, queued } = stepsOf(pastOf(totals), group);
        const drawn = became.stored.reduce<number>((sum, value) => sum + (value ?? 0), 0);
        expect(drawn).toBe(known.length === 0 ? 0 : known.at(-1)! - known[0]!);
        expect([atMs.length, queued.length]).toEqual(Array(2).fill(Math.ceil((came.length - 1) / group)) as never);
      }),
    );
  });

  test("end with the last step, and have the highest of what they stand for", () => {
    const lag = [0, 1, 9, 2, 3, null, 4];
    const past = pastOf([0, 1, 2, 3, 4, null, 6], {
      lag_ms: { live: lag, history: lag, overflow: lag, identity: lag },
    });
    const { atMs, lagMs, became } = stepsOf(past, 2);
    expect(atMs.map((ms) => (ms - Date.parse(past.date_from)) / MINUTE)).toEqual([1, 3, 5]);
    expect(lagMs.live).toEqual([9, 3, 4]);
    expect(became.stored).toEqual([2, 2, 2]);
  });

  test("are not known where no minute is", () => {
    expect(stepsOf(pastOf([1, 2, null, null, 5]), 2).became.stored).toEqual([1, 3]);
    expect(stepsOf(pastOf([1, null, null, 4, 5]), 2).became.stored).toEqual([null, 4]);
  });
});

test("gaps are what is missing since the history begins, the newest first, apart by their reason", () => {
  const problem = [null, null, null, null, "broker_unavailable", "broker_unavailable", null, null];
  const past = pastOf([null, null, 1, null, null, null, 7, null], { problem });
  const at = Date.parse(past.date_from);
  expect(gapsOf(past)).toEqual([
    { fromMs: at + 7 * MINUTE, toMs: at + 8 * MINUTE, minutes: 1, problem: null },
    { fromMs: at + 4 * MINUTE, toMs: at + 6 * MINUTE, minutes: 2, problem: "broker_unavailable" },
    { fromMs: at + 3 * MINUTE, toMs: at + 4 * MINUTE, minutes: 1, problem: null },
  ]);
  expect(gapsOf(pastOf([null, null]))).toEqual([]);
  expect(gapsOf(pastOf([1, 2, 3]))).toEqual([]);
});

describe("the verdict", () => {
  const live = (queued: number, lagMs: number) => ({
    accepted: 100 + queued,
    queued,
    waiting: { live: { queued, lag_ms: lagMs } },
  });
  const moving = pastOf([80, 85, 90, 95]);
  const still = pastOf([100, 100, 100, 100]);

  test.each([
    ["nothing is known yet", { status: undefined }, "unknown", "Looking"],
    ["no event ever came", { status: statusOf({ accepted: 0, stored: 0 }) }, "quiet", "No event has come yet"],
    ["events come and are stored", { status: statusOf(), recent: moving }, "good", "Events come through"],
    ["some wait, as always", { status: statusOf(live(5, 400)), recent: moving }, "good", "Events come through"],
    ["they are stored, but late", { status: statusOf(live(5, 90_000)), recent: moving }, "late", "late"],
    [
      "they wait and nothing is stored",
      { status: statusOf(live(5, 90_000)), recent: still },
      "bad",
      "not being stored",
    ],
    ["they wait, and nothing of before is known", { status: statusOf(live(5, 90_000)) }, "late", "late"],
    [
      "none came in the last hour",
      { status: statusOf(), recent: pastOf(Array(90).fill(100)) },
      "quiet",
      "No events come in",
    ],
    [
      "all came before the first figures",
      { status: statusOf(), recent: pastOf([...Array(177).fill(null), 100, 100, 100]) },
      "good",
      "Events came through",
    ],
    ["they are refused", { status: statusOf({ refusal: "the disk is full" }) }, "bad", "No events are taken in"],
    ["the broker is away", { failure: { status: 503, detail: "it is away" } }, "bad", "No events are taken in"],
    ["Weir is away", { failure: { status: 0, detail: "Weir does not answer." } }, "bad", "cannot be read"],
  ] as const)("where %s", (_, known, level, title) => {
    const verdict = verdictOf({ status: undefined, failure: undefined, recent: undefined, ...known });
    expect([verdict.level, verdict.title]).toEqual([level, expect.stringContaining(title)]);
    expect(verdict.detail).toMatch(/^[A-Z0-9].*\.$/);
  });

  test("a migration that waits long delays nobody", () => {
    const waiting = { history: { queued: 5_000_000, lag_ms: 3_600_000 } };
    const status = statusOf({ accepted: 5_000_100, queued: 5_000_000, waiting });
    const verdict = verdictOf({ status, failure: undefined, recent: moving });
    expect(verdict.level).toBe("good");
    expect(verdict.detail).toContain("5,000,000 events of a migration wait");
  });

  test("events that come and are dropped are no good news", () => {
    const status = statusOf({ accepted: 200, stored: 130, dropped: 70 });
    const verdict = verdictOf({ status, failure: undefined, recent: pastOf([100, 100, 100]) });
    expect([verdict.level, verdict.detail]).toEqual([
      "late",
      expect.stringContaining("70 events of them were dropped"),
    ]);
  });

  test("says when the last event came", () => {
    const recent = pastOf([...Array(90).fill(50), ...Array(90).fill(100)]);
    const verdict = verdictOf({ status: statusOf(), failure: undefined, recent });
    expect(verdict.detail).toContain("1h 30m ago");
  });
});
