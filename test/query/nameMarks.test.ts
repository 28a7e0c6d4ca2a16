import { describe, expect, test } from "bun:test";
import { nameMarks } from "../../src/query/hogql/compile/nameMarks.ts";
import { alias, arithmetic, call, compare, constant, field } from "../../src/query/hogql/syntax/build.ts";
import type { Expression } from "../../src/query/hogql/syntax/tree.ts";

const EVENT = field("event");
const PERSONLESS = field("personless");
const is = (name: string) => compare(EVENT, "==", constant(name));
const bit = (condition: Expression, mask: number) => call("if", condition, constant(mask), constant(0));
const oneOf = (...names: string[]) => compare(EVENT, "in", { node: "Tuple", exprs: names.map(constant) });
const not = (expr: Expression): Expression => ({ node: "Not", expr });
const any = (...exprs: Expression[]): Expression => ({ node: "Or", exprs });
const all = (...exprs: Expression[]): Expression => ({ node: "And", exprs });

/** What is told of events: the steps of those of a name, of personless ones behind a minus, and of all others behind `*`. */
function told(steps: Expression, conditions: Expression[] = [], excluded: Expression | null = null) {
  const marks = nameMarks({ steps, excluded, conditions });
  if (marks === null) return null;
  const named = marks.named.map((one) => ({ ...one, name: one.name as string }));
  const others = marks.others.map((one) => ({ ...one, name: "*" }));
  return Object.fromEntries(
    [...named, ...others].map(({ name, isPersonless, mark }) => [
      `${isPersonless ? "-" : ""}${name}`,
      mark === null ? null : excluded === null ? mark.steps : [mark.steps, mark.excluded],
    ]),
  );
}

describe("marks of names that are told without the engine", () => {
  test("are the steps of each name, and of all others", () => {
    const steps = alias("steps", arithmetic(bit(is("see"), 1), "+", bit(is("buy"), 2)));
    expect(told(steps)).toEqual({ see: 1, "-see": 1, buy: 2, "-buy": 2, "*": 0, "-*": 0 });
    expect(told(constant(1))).toEqual({ "*": 1, "-*": 1 });
  });

  test("leave out what conditions do not let pass", () => {
    const one = constant(1);
    expect(told(one, [oneOf("see", "buy")])).toEqual({ see: 1, "-see": 1, buy: 1, "-buy": 1, "*": null, "-*": null });
    expect(told(one, [is("see"), not(PERSONLESS)])).toEqual({ see: 1, "-see": null, "*": null, "-*": null });
    expect(told(one, [any(compare(EVENT, "!=", constant("see")), PERSONLESS)])).toEqual({
      ...{ see: null, "-see": 1 },
      ...{ "*": 1, "-*": 1 },
    });
    expect(told(one, [all(not(is("see")), not(is("buy")))])).toEqual({
      ...{ see: null, "-see": null, buy: null, "-buy": null },
      ...{ "*": 1, "-*": 1 },
    });
  });

  test("tell exclusions", () => {
    expect(told(constant(1), [], bit(is("leave"), 1))).toEqual({
      ...{ leave: [1, 1], "-leave": [1, 1] },
      ...{ "*": [1, 0], "-*": [1, 0] },
    });
  });

  test.each([
    ["another function", bit(call("startsWith", EVENT, constant("s")), 1)],
    ["an order of names", bit(compare(EVENT, ">", constant("s")), 1)],
    ["a comparison with what is no text", bit(compare(EVENT, "==", constant(1)), 1)],
    ["NULL", bit(compare(EVENT, "==", constant(null)), 1)],
    ["a property", bit(compare(field("properties", "x"), "==", constant("s")), 1)],
    ["what is no mask", constant(-1)],
  ])("are not told of %s", (_, steps) => {
    expect(told(steps)).toBeNull();
  });
});
