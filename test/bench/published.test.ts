import { expect, test } from "bun:test";
import { published, slowerThan } from "./published.ts";

const measured = (events: number, warm: Record<string, Record<string, number>>) => ({
  bench: "insights",
  events,
  answers: Object.entries(warm).map(([question, ratios]) => ({ question, ratios: { warm: ratios } })),
});

test("questions far slower beside an engine than published are told", () => {
  const before = measured(10, { a: { x: 0.3, y: 1 }, b: { x: 0.3 }, gone: { x: 1 } });
  const after = measured(10, { a: { x: 0.7, y: 1.9 }, b: { x: 0.2 }, added: { x: 9 } });
  expect(slowerThan(before, after)).toEqual(["a: 0.7 of the time of x, published 0.3"]);
});

test("ratios over other numbers of events say nothing, and some benches have none", () => {
  const before = measured(10, { a: { x: 0.3 } });
  expect(slowerThan(before, measured(11, { a: { x: 0.7 } }))).toEqual([]);
  expect(slowerThan(null, before)).toEqual([]);
  expect(slowerThan({ bench: "front" }, { bench: "front" })).toEqual([]);
});

test.each(["insights", "lake", "trends"])("the published figures of %s can be compared", (bench) => {
  const before = published(bench)! as ReturnType<typeof measured>;
  const slow = before.answers.map(({ question, ratios }) => {
    const warm = Object.fromEntries(Object.entries(ratios.warm).map(([engine, ratio]) => [engine, ratio * 3]));
    return { question, ratios: { warm } };
  });
  expect(slowerThan(before, before)).toEqual([]);
  expect(slowerThan(before, { ...before, answers: slow }).length).toBeGreaterThanOrEqual(before.answers.length);
});
