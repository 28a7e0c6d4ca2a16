import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  asList,
  type BoardFilters,
  differing,
  isActive,
  readFragment,
  saved,
  writeFragment,
} from "../../src/web/app/pages/parts/board/filters.ts";
import { Queue } from "../../src/web/app/pages/parts/board/queue.ts";
import { embedCode, linkOf } from "../../src/web/app/pages/parts/sharing/link.ts";

const BROWSER = { type: "event", key: "$browser", value: ["Chrome"], operator: "exact" };
const filters: fc.Arbitrary<BoardFilters> = fc.record(
  {
    date_from: fc.oneof(fc.constant(null), fc.constantFrom("-7d", "2026-01-01", "all")),
    date_to: fc.oneof(fc.constant(null), fc.constant("2026-02-01")),
    properties: fc.array(fc.record({ type: fc.constant("event"), key: fc.string(), value: fc.string() })),
  },
  { requiredKeys: [] },
);

describe("the filters of a board", () => {
  test("come back from the address as they were put there", () => {
    fc.assert(fc.property(filters, (value) => expect(readFragment(writeFragment(value))).toEqual(value)));
  });

  test("are none where an address has none that can be read", () => {
    for (const hash of [
      "",
      "#",
      "#filters=",
      "#filters={",
      "#filters=[]",
      "#filters=1",
      '#filters={"properties":[1]}',
    ]) {
      expect(readFragment(hash)).toEqual({});
    }
    fc.assert(fc.property(fc.string(), (text) => expect(typeof readFragment(`#filters=${text}`)).toBe("object")));
  });

  test("over those that are saved give what was wished", () => {
    fc.assert(
      fc.property(filters, filters, (before, wish) => {
        const shown = { ...before, ...differing(before, wish) };
        expect(saved(shown)).toEqual(saved({ ...before, ...wish }));
        expect(differing(before, before)).toEqual({});
      }),
    );
  });

  test("can take away what is saved, for one look", () => {
    expect(differing({ date_from: "-7d", properties: [BROWSER] }, { date_from: null, properties: [] })).toEqual({
      date_from: null,
      properties: [],
    });
  });

  test("count only where they change a question", () => {
    expect([{}, { date_from: null }, { properties: [] }].map(isActive)).toEqual([false, false, false]);
    expect([{ date_from: "-1d" }, { properties: [BROWSER] }].map(isActive)).toEqual([true, true]);
  });

  test("are a plain list, whatever the form gives", () => {
    const group = { type: "AND", values: [{ type: "AND", values: [BROWSER] }] } as const;
    expect([asList(undefined), asList([BROWSER]), asList(group)]).toEqual([[], [BROWSER], [BROWSER]]);
  });
});

describe("the queue of tiles", () => {
  const { signal } = new AbortController();

  test("runs as many at a time as it may, in their order", async () => {
    const queue = new Queue(2);
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const jobs = [0, 1, 2, 3].map((i) =>
      queue.run(() => new Promise<number>((resolve) => ends.push(() => resolve(i)) && begun.push(i)), signal),
    );
    await Promise.resolve();
    expect(begun).toEqual([0, 1]);
    ends[1]!();
    expect(await jobs[1]).toBe(1);
    await Promise.resolve();
    expect(begun).toEqual([0, 1, 2]);
    ends[0]!();
    ends[2]!();
    await Promise.all([jobs[0], jobs[2]]);
    await Promise.resolve();
    ends[3]!();
    expect(await Promise.all(jobs)).toEqual([0, 1, 2, 3]);
  });

  test("goes on after one that failed, and does not begin one that nobody wants any more", async () => {
    const queue = new Queue(1);
    const left = new AbortController();
    const failing = queue.run(() => Promise.reject(new Error("no")), signal);
    const unwanted = queue.run(() => Promise.resolve("began"), left.signal);
    const last = queue.run(() => Promise.resolve("done"), signal);
    left.abort();
    expect(await Promise.allSettled([failing, unwanted, last])).toMatchObject([
      { status: "rejected" },
      { status: "rejected" },
      { status: "fulfilled", value: "done" },
    ]);
  });
});

test("the code for another site names the title as text", () => {
  expect(linkOf("https://weir.example", "a_b-c")).toBe("https://weir.example/shared/a_b-c");
  const code = embedCode("https://weir.example", "tok", `"><script>alert(1)</script>`);
  expect(code).toContain('src="https://weir.example/embedded/tok"');
  expect(code).not.toContain("<script>");
  expect(code.match(/"/g)).toHaveLength(12);
});
