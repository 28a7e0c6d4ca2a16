import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { elementsChain } from "../../src/capture/elements.ts";
import { matchesAction } from "../../src/query/actions.ts";
import { elementsHref, elementsIds, elementsTags, elementsTexts } from "../../src/query/elements.ts";
import { EventsTable } from "../../src/query/events.ts";
import type { ActionStep } from "../../src/query/mod.ts";
import { selectorCondition } from "../../src/query/selectors.ts";
import { render, type Sql, sql } from "../../src/query/sql.ts";
import { MemoryLake } from "../support/memoryLake.ts";
import { contextOf } from "./support.ts";

const CHAIN = elementsChain([
  {
    tag_name: "button",
    attr__class: "big btn-primary md:flex",
    $el_text: 'Say "hi"; now',
    nth_child: 2,
    nth_of_type: 1,
    "attr__data-attr": "go",
  },
  { tag_name: "a", attr__href: "https://a.com/x?y=1;2", attr__id: "link.1", $el_text: "Go" },
  { tag_name: "div", attr__class: "page", nth_child: 1 },
  { tag_name: "body" },
]);

const EVENTS = [
  { event: "view", url: "https://a.com/Docs" },
  { event: "view", url: "https://a.com/docs/1" },
  { event: "view" },
  { event: "buy", url: "https://b.com", properties: { plan: "pro" } },
  { event: "$autocapture", chain: CHAIN },
  { event: "$autocapture", chain: "" },
  { event: "rage", chain: CHAIN },
];

let lake: MemoryLake;
beforeAll(async () => {
  lake = await MemoryLake.open(
    EVENTS.map(({ event, url, chain, properties }, i) => ({
      event,
      distinctId: `d${i}`,
      timestampMs: i,
      elementsChain: chain,
      properties: { ...properties, ...(url && { $current_url: url }) },
    })),
  );
});
afterAll(() => lake.close());

async function ask(make: (events: EventsTable) => { select: Sql; where: Sql }): Promise<unknown[]> {
  const events = new EventsTable("e");
  const { select, where } = make(events);
  const statement = sql`SELECT ${select} FROM ${events.from()} WHERE ${where} ORDER BY ${events.column("timestamp")}`;
  const { rowsJson } = await lake.query({
    teamId: 1,
    range: { fromMs: null, toMs: null },
    sql: (relations) => render(statement, relations),
    deadlineMs: 60_000,
    maxRows: 100,
  });
  const rows: unknown[][] = JSON.parse(rowsJson);
  return rows.map(([first]) => first);
}

const NO_STEP: ActionStep = {
  event: null,
  properties: [],
  url: null,
  urlMatching: null,
  text: null,
  textMatching: null,
  href: null,
  hrefMatching: null,
  tagName: null,
  selector: null,
};

/** The numbers of the events that match. */
const matches = (...steps: Partial<ActionStep>[]) => {
  const action = { id: 3, name: "an action", steps: steps.map((step) => ({ ...NO_STEP, ...step })) };
  return ask((events) => ({
    select: sql`epoch_ms(${events.column("timestamp")})`,
    where: matchesAction(action, events, contextOf(lake)),
  }));
};
const clicked = (step: Partial<ActionStep>) => matches({ event: "$autocapture", ...step });

describe("the steps of an action", () => {
  test.each<[string, Partial<ActionStep>[], number[]]>([
    ["none: every event", [], [0, 1, 2, 3, 4, 5, 6]],
    ["an empty one: every event", [{}], [0, 1, 2, 3, 4, 5, 6]],
    ["an event", [{ event: "view" }], [0, 1, 2]],
    ["any of them", [{ event: "view" }, { event: "buy" }], [0, 1, 2, 3]],
    ["a url that contains, case counts", [{ url: "/docs" }], [1]],
    ["a url exactly", [{ url: "https://a.com/Docs", urlMatching: "exact" }], [0]],
    ["a url by a regular expression", [{ url: "^https://[ab].com/?[dD]?", urlMatching: "regex" }], [0, 1, 3]],
    ["all of a step", [{ event: "view", url: "a.com/d" }], [1]],
    ["filters", [{ properties: [{ key: "plan", value: "pro", type: "event" }] }], [3]],
    ["elements count for clicks only", [{ event: "rage", tagName: "video" }], [6]],
  ])("%s", async (_, steps, expected) => {
    expect(await matches(...steps)).toEqual(expected);
  });

  test.each<[Partial<ActionStep>, boolean]>([
    [{ tagName: "a" }, true],
    [{ tagName: "butt" }, false],
    [{ text: 'Say "hi"; now' }, true],
    [{ text: "Say" }, false],
    [{ text: "say", textMatching: "contains" }, true],
    [{ text: "^Go$", textMatching: "regex" }, true],
    [{ href: "https://a.com/x?y=1;2" }, true],
    [{ href: "https://a.com/x" }, false],
    [{ href: "A.COM", hrefMatching: "contains" }, true],
    [{ href: "y=\\d;", hrefMatching: "regex" }, true],
    [{ selector: "button.big", tagName: "div", text: "Go" }, true],
    [{ selector: "button.big", tagName: "span" }, false],
  ])("%j", async (step, isMatch) => {
    expect(await clicked(step)).toEqual(isMatch ? [4] : []);
  });
});

describe("a selector over a chain of elements", () => {
  test.each<[string, boolean]>([
    ["button", true],
    ["*", true],
    ["butto", false],
    [".big", true],
    [".bi", false],
    ["button.btn-primary.big", true],
    ["button.page", false],
    [".md\\:flex", true],
    [".flex", false],
    ["#link\\.1", true],
    ["a[id='link.1']", true],
    ['[data-attr="go"]', true],
    ['[data-attr="g"]', false],
    ['[attr="go"]', false],
    ["[href='https://a.com/x?y=1;2']", true],
    ["button:nth-child(2)", true],
    ["button:nth-of-type(1):nth-child(2).big", true],
    ["button:nth-child(1)", false],
    ["div > a > button", true],
    ["div > button", false],
    ["div button", true],
    ["body .page #link\\.1", true],
    ["body > .page > a[id='link.1'] > button.big[data-attr=go]", true],
    ["button div", false],
    ["a > div", false],
  ])("%s", async (selector, isMatch) => {
    const found = await ask((events) => ({
      select: sql`epoch_ms(${events.column("timestamp")})`,
      where: selectorCondition(events.column("elements_chain"), selector, "selector"),
    }));
    expect(found).toEqual(isMatch ? [4, 6] : []);
  });

  test.each(["", "a >", "> a", "a:hover", "a + b", "a, b", "[x", "a*", `a${".b".repeat(600)}`])(
    "%p is refused",
    (selector) => {
      expect(() => selectorCondition(sql`''`, selector, "selector")).toThrow("cannot be matched");
    },
  );
});

test("what a chain says", async () => {
  const of = (read: (chain: Sql) => Sql) =>
    ask((events) => ({
      select: read(events.column("elements_chain")),
      where: sql`${events.column("event")} = '$autocapture'`,
    }));
  expect(await of(elementsTexts)).toEqual([['Say "hi"; now', "Go"], []]);
  expect(await of(elementsHref)).toEqual(["https://a.com/x?y=1;2", ""]);
  expect(await of(elementsIds)).toEqual([["link.1"], []]);
  expect(await of(elementsTags)).toEqual([["button", "a"], []]);
});
