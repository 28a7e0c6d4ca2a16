import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { elementsChain } from "../../src/capture/event/elements.ts";
import { type ActionStep, type EventsResponse, runQuery } from "../../src/query/mod.ts";
import type { Json, JsonObject } from "../../src/types/mod.ts";
import { MemoryLake } from "../support/memoryLake.ts";
import { NO_RECORDS } from "../support/noRecords.ts";
import { CASES_MS, runs } from "../support/randomCases.ts";
import { contextOf, NO_STEP } from "./support.ts";

setDefaultTimeout(CASES_MS);

interface TestElement {
  tag: string;
  classes: string[];
  attributes: Record<string, string>;
  nth: number;
  text: string;
}
/** What a selector asks of one element; `isParent`: of the next one to the right. */
interface Compound {
  tag: string | null;
  classes: string[];
  attributes: Record<string, string>;
  nth: number | null;
  isParent: boolean;
}

const TAGS = ["a", "b", "div", "my-tag"];
const CLASSES = ["c", "c2", "md:flex", "w-1.5", "x_y"];
const NAMES = ["id", "href", "data-c", "type"];
/** No value ends with a backslash: a chain escapes quotes alone, so nobody could tell where that one ends. */
const VALUES = ["c", 'say "x"', "a;b:c", "w\\x", "é", "c.c2", "=", "line\nbreak\t", "w\\\nx"];

const some = <T>(values: readonly T[]) => fc.constantFrom(...values);
const attributes = fc.dictionary(some(NAMES), some(VALUES), { maxKeys: 2 });
const element: fc.Arbitrary<TestElement> = fc.record({
  tag: some(TAGS),
  classes: fc.uniqueArray(some(CLASSES), { maxLength: 3 }),
  attributes,
  nth: fc.integer({ min: 1, max: 2 }),
  text: some(VALUES),
});
/** Values with a double quote stand in single ones; no value has both. */
const compound: fc.Arbitrary<Compound> = fc
  .record({
    tag: fc.option(some(TAGS)),
    classes: fc.uniqueArray(some(CLASSES), { maxLength: 2 }),
    attributes: fc.dictionary(some(NAMES), some(VALUES), { maxKeys: 1 }),
    nth: fc.option(fc.integer({ min: 1, max: 2 })),
    isParent: fc.boolean(),
  })
  .filter(
    ({ tag, classes, attributes, nth }) =>
      tag !== null || nth !== null || classes.length + Object.keys(attributes).length > 0,
  );

const asSent = ({ tag, classes, attributes, nth, text }: TestElement): JsonObject => ({
  tag_name: tag,
  nth_child: nth,
  $el_text: text,
  ...(classes.length > 0 && { attr__class: classes.join(" ") }),
  ...Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`attr__${name}`, value])),
});

const escaped = (name: string) => name.replace(/[:.]/g, "\\$&");
function selectorOf(compounds: readonly Compound[]): string {
  return compounds
    .map(({ tag, classes, attributes, nth, isParent }, i) => {
      const parts = [
        tag ?? "",
        ...classes.map((name) => `.${escaped(name)}`),
        ...Object.entries(attributes).map(([name, value]) => `[${name}='${value}']`),
        nth === null ? "" : `:nth-child(${nth})`,
      ];
      const isLast = i === compounds.length - 1;
      return parts.join("") + (isLast ? "" : isParent ? " > " : " ");
    })
    .join("");
}

/** Plain recursion: the last compound meets some element, those before it the elements around it. */
function matches(compounds: readonly Compound[], chain: readonly TestElement[]): boolean {
  return chain.some((_, i) => matchesAt(compounds, chain, i));
}

function matchesAt(compounds: readonly Compound[], chain: readonly TestElement[], at: number): boolean {
  const last = compounds.at(-1)!;
  if (at >= chain.length || !meets(last, chain[at]!)) return false;
  const rest = compounds.slice(0, -1);
  if (rest.length === 0) return true;
  if (rest.at(-1)!.isParent) return matchesAt(rest, chain, at + 1);
  return chain.some((_, i) => i > at && matchesAt(rest, chain, i));
}

const meets = (wanted: Compound, { tag, classes, attributes, nth }: TestElement): boolean =>
  (wanted.tag === null || wanted.tag === tag) &&
  wanted.classes.every((name) => classes.includes(name)) &&
  Object.entries(wanted.attributes).every(([name, value]) => attributes[name] === value) &&
  (wanted.nth === null || wanted.nth === nth);

const AUTOCAPTURE: ActionStep = { ...NO_STEP, event: "$autocapture", properties: null };

describe("chains of elements", () => {
  const chains = fc.sample(fc.array(element, { minLength: 1, maxLength: 5 }), { numRuns: 400 });
  let lake: MemoryLake;
  beforeAll(async () => {
    lake = await MemoryLake.open(
      chains.map((chain, i) => ({
        event: "$autocapture",
        distinctId: "d",
        timestampMs: i,
        elementsChain: elementsChain(chain.map(asSent)),
      })),
    );
  });
  afterAll(() => lake.close());

  const ask = async (node: { [key: string]: Json }, step: Partial<ActionStep> = {}) => {
    const action = { id: 1, name: "a", steps: [{ ...AUTOCAPTURE, ...step }] };
    const all = { kind: "EventsQuery", after: "all", orderBy: ["timestamp"], limit: 1000, actionId: 1 };
    const context = contextOf(lake, { records: { ...NO_RECORDS, action: () => action } });
    const { results } = (await runQuery({ ...all, ...node }, context)) as EventsResponse;
    return results.map(([value]) => value);
  };

  test("a selector finds what a plain search finds", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(compound, { minLength: 1, maxLength: 3 }), async (compounds) => {
        const selector = selectorOf(compounds);
        const found = await ask({ select: ["toUnixTimestamp64Milli(timestamp)"] }, { selector });
        expect(found).toEqual(chains.flatMap((chain, i) => (matches(compounds, chain) ? [i] : [])));
      }),
      { numRuns: runs(150) },
    );
  });

  test("what was sent is shown again", async () => {
    const events = (await ask({ select: ["*"] })) as { elements: JsonObject[] }[];
    expect(events.map(({ elements }) => elements)).toMatchObject(
      chains.map((chain) =>
        chain.map(({ tag, classes, attributes, nth, text }, order) => ({
          tag_name: tag,
          text,
          nth_child: nth,
          order,
          href: attributes.href ?? null,
          attr_id: attributes.id ?? null,
          attr_class: classes.length === 0 ? null : classes,
        })),
      ) as never,
    );
  });
});
