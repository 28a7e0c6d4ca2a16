import { expect, test } from "bun:test";
import { ranked } from "../../src/manage/query/rank.ts";

const PROJECTS = Array.from({ length: 200 }, (_, i) => i + 1);
const processes = (count: number) => Array.from({ length: count }, (_, i) => ({ id: `q${i}`, place: `machine ${i}` }));
const firsts = (offers: ReturnType<typeof processes>) => PROJECTS.map((teamId) => ranked(offers, teamId)[0]!.id);

test("each process is the first for some projects, whatever order they are heard of in", () => {
  const offers = processes(4);
  expect(new Set(firsts(offers)).size).toBe(4);
  expect(firsts(offers.toReversed())).toEqual(firsts(offers));
  expect(ranked(offers, 1)).toHaveLength(4);
});

test("a process that comes or goes moves its own projects alone", () => {
  const [before, after] = [firsts(processes(4)), firsts(processes(5))];
  const moved = PROJECTS.filter((_, i) => before[i] !== after[i]);
  expect(moved.length).toBeGreaterThan(0);
  expect(moved.length).toBeLessThan(PROJECTS.length / 2);
  expect(after.filter((id, i) => id !== before[i]).every((id) => id === "q4")).toBe(true);
});

test("a project stays where its files are: at the place, after a restart too", () => {
  const restarted = processes(4).map(({ place }, i) => ({ id: `new${i}`, place }));
  expect(firsts(restarted)).toEqual(firsts(processes(4)).map((id) => id.replace("q", "new")));
  const beside = [...processes(3), { id: "x", place: "machine 0" }];
  const orders = PROJECTS.map((teamId) => ranked(beside, teamId).map(({ id }) => id));
  // Two of one place follow each other, and share its projects.
  expect(orders.every((ids) => Math.abs(ids.indexOf("x") - ids.indexOf("q0")) === 1)).toBe(true);
  expect(new Set(orders.map((ids) => ids.indexOf("x") < ids.indexOf("q0"))).size).toBe(2);
});
