import { describe, expect, test } from "bun:test";
import { type CohortRecord, checkCohort } from "../../src/query/mod.ts";
import type { Json } from "../../src/types/mod.ts";
import { clicksOf, selectorOf } from "../../src/web/app/pages/action/clicks.ts";
import { AUTOCAPTURE, newStep, stepsOf, toldOf, withEvent } from "../../src/web/app/pages/action/steps.ts";
import {
  BEHAVIORS,
  type Behavior,
  COMPARISONS,
  INTERVALS,
  isWhole,
  newBehavior,
  withDates,
  withValue,
} from "../../src/web/app/pages/cohort/behavior.ts";
import { criteriaOf, hasUnsaid, wholeOf } from "../../src/web/app/pages/cohort/criteria.ts";
import { contextOf, emptyLake } from "../query/support.ts";
import { NO_RECORDS } from "../support/noRecords.ts";

const NOW = Date.UTC(2026, 4, 10, 12);
const context = contextOf(emptyLake, { nowMs: NOW, records: NO_RECORDS });

/** Throws where no query could use them. */
function check(values: readonly unknown[]): void {
  const properties = { type: "AND", values } as unknown as Json;
  const cohort: CohortRecord = { id: 1, name: "", isStatic: false, properties, personIds: [] };
  checkCohort(cohort, context);
}

const bought = (): Behavior => ({ ...newBehavior(), key: "bought" });
const asked = (value: string): Behavior => {
  const behavior = withValue(bought(), value);
  return behavior.seq_event === "" ? { ...behavior, seq_event: "came back" } : behavior;
};

describe("a condition by behavior", () => {
  test.each(BEHAVIORS.map(({ value }) => value))("is one that the engine takes: %s", (value) => {
    const behavior = asked(value);
    expect(isWhole(behavior)).toBe(true);
    check([behavior, { ...behavior, negation: true }]);
    for (const { value: next } of BEHAVIORS) {
      const changed = withValue(behavior, next);
      if (isWhole(changed)) check([changed]);
      // There and back nothing is lost that both ways have.
      expect(withValue(withValue(behavior, next), value)).toMatchObject({ key: "bought", value });
    }
  });

  test("is half said without its event, its number or its time", () => {
    expect(isWhole(newBehavior())).toBe(false);
    expect(isWhole({ ...bought(), time_value: undefined })).toBe(false);
    expect(isWhole({ ...asked("performed_event_multiple"), operator_value: undefined })).toBe(false);
    expect(isWhole({ ...asked("performed_event_regularly"), min_periods: 5 })).toBe(false);
    expect(isWhole({ ...asked("performed_event_sequence"), seq_event: "" })).toBe(false);
    expect(isWhole({ ...asked("stopped_performing_event"), seq_time_value: undefined })).toBe(false);
  });

  test("compares in every way, over every length of time, and between dates", () => {
    for (const { value } of COMPARISONS) check([{ ...asked("performed_event_multiple"), operator: value }]);
    for (const unit of INTERVALS) check([{ ...bought(), time_interval: unit }]);
    const dated = withDates(bought(), { date_from: "2026-01-01", date_to: "2026-02-01" });
    expect(dated).toMatchObject({ explicit_datetime: "2026-01-01", explicit_datetime_to: "2026-02-01" });
    expect([isWhole(dated), "time_value" in dated]).toEqual([true, false]);
    check([dated, withValue(dated, "performed_event_multiple")]);
    // What has no dates gets a length again.
    expect(withValue(dated, "stopped_performing_event")).toMatchObject({ time_value: 30, time_interval: "day" });
    expect(withDates(dated, {})).toMatchObject({ time_value: 30 });
  });
});

describe("the conditions of a cohort", () => {
  const isPro = { type: "person", key: "plan", operator: "exact", value: ["pro"] };

  test("are read in every form that they have", () => {
    const group = { type: "OR", values: [isPro] };
    expect(criteriaOf({ properties: group })).toEqual(group as never);
    expect(criteriaOf({ properties: isPro })).toEqual({ type: "AND", values: [isPro] });
    expect(criteriaOf({ properties: [isPro, [isPro]] })).toEqual({
      type: "AND",
      values: [isPro, { type: "AND", values: [isPro] }],
    });
    for (const none of [undefined, null, {}, { properties: null }, { properties: {} }]) {
      expect(wholeOf(criteriaOf(none)).values).toEqual([]);
    }
  });

  test("leave out what is half said, and groups that are empty for it", () => {
    const unsaid = { ...isPro, value: [] };
    const inner = { type: "OR" as const, values: [newBehavior(), unsaid] };
    const criteria = {
      type: "AND" as const,
      values: [isPro, inner, { ...inner, values: [...inner.values, bought()] }],
    };
    expect(hasUnsaid(criteria)).toBe(true);
    const whole = wholeOf(criteria);
    expect(whole).toEqual({ type: "AND", values: [isPro, { type: "OR", values: [bought()] }] });
    expect(hasUnsaid(whole)).toBe(false);
    check(whole.values);
  });
});

describe("what was clicked", () => {
  const element = (tag_name: string, more: object = {}) => ({
    event: null,
    text: null,
    tag_name,
    attr_class: null,
    href: null,
    attr_id: null,
    nth_child: null,
    nth_of_type: null,
    attributes: {},
    order: 0,
    ...more,
  });

  test("has a selector by what somebody named, else by its classes", () => {
    const named = { attributes: { "attr__data-attr": "buy" } };
    expect(selectorOf([element("button", named), element("form")])).toBe('button[data-attr="buy"]');
    expect(selectorOf([element("button", { attr_id: "buy" })])).toBe("#buy");
    expect(
      selectorOf([element("a", { attr_class: ["x", "md:flex", "y", "z"] }), element("nav", { attr_id: "top" })]),
    ).toBe("#top a.x.y");
    // What cannot stand in a selector is left out.
    expect(selectorOf([element("a", { attr_id: "1 2", attributes: { "attr__data-attr": '"]' } })])).toBe("a");
    expect(selectorOf([element("a b")])).toBeNull();
    expect(selectorOf([])).toBeNull();
  });

  test("is listed once, the most frequent first", () => {
    const event = (elements: object[]) => ({ elements, properties: { $current_url: "https://a.example/" } }) as never;
    const buy = [element("span", { text: "Buy" }), element("a", { href: "/buy" })];
    const clicks = clicksOf([event([element("b")]), event(buy), event([]), event(buy)]);
    expect(clicks).toMatchObject([
      { text: "Buy", href: "/buy", selector: "span", count: 2 },
      { text: null, href: null, selector: "b", count: 1 },
    ]);
  });
});

describe("the steps of an action", () => {
  test("lose what is asked of a click where nothing is clicked", () => {
    const step = { ...newStep(AUTOCAPTURE), text: "Buy", selector: "a", url: "/x" };
    expect(withEvent(step, "bought")).toEqual({ ...newStep("bought"), url: "/x" });
    expect(withEvent(withEvent(step, AUTOCAPTURE), AUTOCAPTURE)).toEqual(step);
  });

  test("are told without empty texts, and read as they were saved", () => {
    expect(toldOf({ ...newStep(AUTOCAPTURE), text: " ", properties: [] })).toEqual(newStep(AUTOCAPTURE));
    const saved = { ...newStep("bought"), url: "/x", url_matching: "regex" as const };
    expect(stepsOf([{ ...saved }])).toEqual([saved]);
    expect(stepsOf([{ event: 5, text_matching: "like" }])).toEqual([{ ...newStep(null), url_matching: null }]);
  });
});
