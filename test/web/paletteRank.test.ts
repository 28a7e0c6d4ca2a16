import { describe, expect, test } from "bun:test";
import { groupsOf, type Section } from "../../src/web/app/palette/groups.ts";
import { fitOf, type Rankable, ranked } from "../../src/web/app/palette/rank.ts";

const named = (label: string, more: { words?: string; weight?: number; isFound?: boolean } = {}) => ({
  label,
  key: label,
  ...more,
});
const order = (labels: readonly string[], typed: string) =>
  ranked(
    labels.map((label) => named(label)),
    typed,
  ).map(({ item }) => item.label);

describe("the order of what was found", () => {
  test.each<[string, string[], string[]]>([
    ["new", ["Renewals", "Brand new", "New insight"], ["New insight", "Brand new", "Renewals"]],
    ["new ins", ["New dashboard", "Insights anew", "New insight"], ["New insight", "Insights anew"]],
    ["nwin", ["Now or never", "New insight", "Winners"], ["New insight"]],
    ["ni", ["Nearly within", "New insight"], ["New insight", "Nearly within"]],
    ["CAFE", ["Café visits", "cafeteria"], ["Café visits", "cafeteria"]],
    ["sgnup", ["signed up", "Sunday"], ["signed up"]],
    ["x", ["Max", "Exit"], ["Max", "Exit"]],
    ["zz", ["Max", "Pizza"], ["Pizza"]],
    ["", [], []],
  ])("%p", (typed, labels, expected) => {
    expect(order(labels, typed)).toEqual(expected);
  });

  test("is by weight where two fit alike, and has what the server found by something else", () => {
    const items = [named("visit a", { weight: 1 }), named("visit b", { weight: 2 }), named("Ada", { isFound: true })];
    expect(ranked(items, "visit").map(({ item }) => item.label)).toEqual(["visit b", "visit a", "Ada"]);
  });

  test("never has scattered letters before whole words", () => {
    const scattered = fitOf(named("a b c"), "abc");
    expect(scattered).toBeGreaterThan(0);
    expect(scattered).toBeLessThan(fitOf(named("zabc"), "abc"));
    expect(fitOf(named("cab"), "abc")).toBe(0);
  });
});

describe("the groups", () => {
  const target = (section: Section, label: string, more: Partial<Rankable> = {}) => ({
    ...{ section, label, key: label },
    ...more,
  });
  const shown = (all: ReturnType<typeof target>[], typed: string) =>
    groupsOf(all, typed)
      .filter(({ targets }) => targets.length > 0)
      .map(({ section, targets }) => [section, ...targets.map(({ label }) => label)]);

  test("begin with the one that has the best, and show each thing once", () => {
    const targets = [
      target("Pages", "A signal"),
      target("Events", "signed up"),
      target("Persons", "Sig", { key: "1" }),
      target("Persons", "Sig", { key: "1", isFound: true }),
      target("Settings", "Members"),
    ];
    expect(shown(targets, "sig")).toEqual([
      ["Persons", "Sig"],
      ["Events", "signed up"],
      ["Pages", "A signal"],
    ]);
  });

  test("are short, and without a text those that everybody needs", () => {
    const many = Array.from({ length: 20 }, (_, at) => target("Insights", `Insight ${at}`));
    expect(shown(many, "insight")[0]).toHaveLength(1 + 8);
    const all = [...many, target("Events", "e"), target("Do", "New insight"), target("Pages", "Home")];
    expect(shown(all, " ").map(([label, ...rest]) => [label, rest.length])).toEqual([
      ["Do", 1],
      ["Insights", 5],
      ["Pages", 1],
    ]);
  });
});
