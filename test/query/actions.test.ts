import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { elementsChain } from "../../src/capture/event/elements.ts";
import { type ActionStep, type EventsResponse, HogqlError, runQuery } from "../../src/query/mod.ts";
import { MemoryLake } from "../support/memoryLake.ts";
import { NO_RECORDS } from "../support/noRecords.ts";
import { contextOf, NO_STEP } from "./support.ts";

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

/** The numbers of the events that match. */
const matches = async (...steps: Partial<ActionStep>[]) => {
  const action = { id: 3, name: "an action", steps: steps.map((step) => ({ ...NO_STEP, ...step })) };
  const records = { ...NO_RECORDS, action: () => action };
  const node = { kind: "EventsQuery", select: ["toUnixTimestamp64Milli(timestamp)"], actionId: 3, after: "all" };
  const { results } = (await runQuery(
    { ...node, orderBy: ["timestamp"] },
    contextOf(lake, { records }),
  )) as EventsResponse;
  return results.map(([value]) => value);
};
/** What an action of one HogQL filter counts, named by HogQL. */
const namedMatches = async (text: string, query: object) => {
  const action = { id: 3, name: "an action", steps: [{ ...NO_STEP, properties: [{ type: "hogql", key: text }] }] };
  const records = { ...NO_RECORDS, action: () => action };
  const { results } = await runQuery({ ...query }, contextOf(lake, { records }));
  return results as unknown[][];
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
    expect(await clicked({ selector })).toEqual(isMatch ? [4] : []);
  });

  test.each(["a >", "> a", "a:hover", "a + b", "a, b", "[x", "a*", `a${".b".repeat(600)}`])(
    "%p is refused",
    (selector) => {
      expect(clicked({ selector })).rejects.toThrow("steps.0.selector: the selector");
    },
  );
});

test("what a chain says", async () => {
  const columns = ["elements_chain_texts", "elements_chain_href", "elements_chain_ids", "elements_chain_elements"];
  const query = `SELECT ${columns.join(", ")} FROM events WHERE event = '$autocapture' ORDER BY timestamp`;
  const { results } = await runQuery({ kind: "HogQLQuery", query }, contextOf(lake));
  expect(results).toEqual([
    [['Say "hi"; now', "Go"], "https://a.com/x?y=1;2", ["link.1"], ["button", "a"]],
    [[], "", [], []],
  ]);
});

describe("HogQL in the steps of an action that HogQL names", () => {
  const COUNT = {
    kind: "HogQLQuery",
    query: "select countIf(matchesAction(3)), countIf(not matchesAction(3)) from events",
  };
  const LISTED = { kind: "EventsQuery", select: ["event"], where: ["matchesAction(3)"], after: "all" };

  test("counts", async () => {
    expect(await namedMatches("properties.plan = 'pro'", COUNT)).toEqual([[1, 6]]);
    expect(await namedMatches("properties.plan = 'pro'", LISTED)).toEqual([["buy"]]);
  });

  test("is refused where it is wrong, or where the action names itself", async () => {
    await expect(namedMatches("properties.plan =", COUNT)).rejects.toBeInstanceOf(HogqlError);
    await expect(namedMatches("count() > 1", COUNT)).rejects.toMatchObject({ code: "invalid_query" });
    for (const query of [COUNT, LISTED]) {
      await expect(namedMatches("matchesAction(3)", query)).rejects.toMatchObject({ code: "invalid_query" });
    }
  });
});
