import type { AlertRule, AlertThreshold } from "../../metadata/mod.ts";
import { TerminalError } from "../../types/mod.ts";
import { compareWithPast } from "./anomaly.ts";
import { perWeek, type TrendInterval } from "./range.ts";
import type { Line } from "./series.ts";

/** What an alert found. */
export interface Judgement {
  /** What was compared; of several lines that of the first breach, null where there is none. */
  value: number | null;
  /** A sentence each. */
  breaches: string[];
}

/** Sentences of one check; beyond that their number is said. */
const BREACHES_MAX = 10;

/**
 * Judges the lines of the watched series (docs/alerts.md). Errors: TerminalError `alert_rule` where the rule does not fit what the insight shows.
 */
export function judge(rule: AlertRule, lines: readonly Line[], interval: TrendInterval): Judgement {
  if (lines.length === 0) return { value: null, breaches: [] };
  const judged = lines.map((line) => judgeLine(rule, line, interval));
  const found = judged.filter(({ breach }) => breach !== null);
  const breaches = found.slice(0, BREACHES_MAX).map(({ breach }) => breach!);
  if (found.length > BREACHES_MAX) breaches.push(`And ${found.length - BREACHES_MAX} more.`);
  return { value: lines.length === 1 ? judged[0]!.value : (found[0]?.value ?? null), breaches };
}

interface Judged {
  value: number;
  breach: string | null;
}

function judgeLine(rule: AlertRule, line: Line, interval: TrendInterval): Judged {
  const name = `"${line.label}"`;
  if (rule.detector !== null) return judgeAnomaly(rule, line, interval, name);
  if (rule.condition !== "absolute_value") return judgeChange(rule, line, interval, name);
  if (line.values === null) {
    return { value: line.total, breach: outside(`The value of ${name}`, line.total, rule.threshold) };
  }
  const [present, last] = [line.values.at(-1), lastOf(line, 1)];
  const ongoing = present === undefined || !looksAtPresent(rule) ? null : tooMuch(rule, present, interval, name);
  if (ongoing !== null) return { value: present!, breach: ongoing };
  return { value: last, breach: outside(`The value of ${name} for the last ${interval}`, last, rule.threshold) };
}

/** The present interval can only grow. */
const looksAtPresent = ({ config, threshold }: AlertRule): boolean =>
  config.checkOngoingInterval && threshold.upper !== null;

const tooMuch = ({ threshold }: AlertRule, value: number, interval: TrendInterval, name: string): string | null =>
  outside(`The value of ${name} for the present ${interval}`, value, { ...threshold, lower: null });

/** A complete interval: 1 is the last one. */
function lastOf({ values }: Line, ago: number): number {
  const value = values?.at(-1 - ago);
  if (value === undefined) throw new TerminalError("alert_rule", "The insight has too few intervals to compare.");
  return value;
}

function judgeChange(rule: AlertRule, line: Line, interval: TrendInterval, name: string): Judged {
  if (line.values === null) {
    throw new TerminalError("alert_rule", "The insight shows totals: a change needs values over time.");
  }
  const isIncrease = rule.condition === "relative_increase";
  const change = (now: number, before: number): number => {
    const by = isIncrease ? now - before : before - now;
    if (rule.threshold.type === "absolute") return by;
    return by === 0 ? 0 : by / Math.abs(before);
  };
  const word = isIncrease ? "increase" : "decrease";
  if (isIncrease && looksAtPresent(rule)) {
    const value = change(line.values.at(-1)!, lastOf(line, 1));
    const breach = outside(`The ${word} of ${name} in the present ${interval}`, value, {
      ...rule.threshold,
      lower: null,
    });
    if (breach !== null) return { value, breach };
  }
  const value = change(lastOf(line, 1), lastOf(line, 2));
  return { value, breach: outside(`The ${word} of ${name} in the last ${interval}`, value, rule.threshold) };
}

function judgeAnomaly({ detector }: AlertRule, line: Line, interval: TrendInterval, name: string): Judged {
  if (line.values === null) {
    throw new TerminalError("alert_rule", "The insight shows totals: weeks can be compared of values over time.");
  }
  const value = lastOf(line, 1);
  const step = perWeek(interval);
  const past = Array.from({ length: detector!.weeks }, (_, week) => lastOf(line, 1 + (week + 1) * step));
  const { median, deviation, isUnusual } = compareWithPast(value, past, detector!);
  const usual = `usual are ${shown(median)} ± ${shown(detector!.sensitivity * deviation)}`;
  const breach = `The value of ${name} for the last ${interval} (${shown(value)}) is unusual: ${usual} there, by the ${detector!.weeks} weeks before.`;
  return { value, breach: isUnusual ? breach : null };
}

/** The sentence that a value is outside of its bounds; null where it is not. */
function outside(what: string, value: number, { type, lower, upper }: AlertThreshold): string | null {
  const text = (number: number) => (type === "percentage" ? `${shown(number * 100)} %` : shown(number));
  if (upper !== null && value > upper)
    return `${what} (${text(value)}) is more than the upper threshold (${text(upper)}).`;
  if (lower !== null && value < lower)
    return `${what} (${text(value)}) is less than the lower threshold (${text(lower)}).`;
  return null;
}

const shown = (value: number): string => (Number.isFinite(value) ? String(Number(value.toFixed(2))) : "without bound");
