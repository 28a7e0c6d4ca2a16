import { randomBytes, randomInt } from "node:crypto";
import { DAY_MS, personIdOf } from "../../../src/types/mod.ts";

/** What a data set is made of: names, keys and values are drawn anew for each, so that nothing can be prepared for them. */
export interface Vocabulary {
  seed: number;
  events: number;
  persons: number;
  team: number;
  fromMs: number;
  days: number;
  /** All event names; those that questions ask for have a name of their own here. */
  names: { page: string; started: string; paid: string; others: string[] };
  /** Keys that the project made up, by what their values are. */
  keys: { plan: string; amount: string; quantity: string; flag: string; tags: string; note: string };
  /** A property of persons. */
  tier: string;
  plans: string[];
  tiers: string[];
  host: string;
}

const OTHER_NAMES = 35;

const word = () => randomBytes(4).toString("hex");
const words = (count: number) => Array.from({ length: count }, word);

export function drawVocabulary({ events, persons }: { events: number; persons: number }): Vocabulary {
  const [plan, amount, quantity, flag, tags, note, tier] = words(7) as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  return {
    seed: randomInt(2 ** 20),
    events,
    persons,
    team: 1,
    fromMs: Date.UTC(2026, 0, 5),
    days: 90,
    names: {
      page: "$pageview",
      started: `${word()} started`,
      paid: `${word()} paid`,
      others: words(OTHER_NAMES).map((name) => `${name} done`),
    },
    keys: { plan, amount, quantity, flag, tags, note },
    tier,
    plans: words(5),
    tiers: words(4),
    host: `${word()}.example.com`,
  };
}

export function untilMs({ fromMs, days }: Vocabulary): number {
  return fromMs + days * DAY_MS;
}

export function distinctIdOf(person: number, { host }: Vocabulary): string {
  return `user-${person}@${host}`;
}

/** Persons with small numbers are the busiest; this one has some hundreds of events. */
const BUSY_PERSON = 150;

export function busyPersonId(v: Vocabulary): string {
  return personIdOf(v.team, distinctIdOf(BUSY_PERSON, v));
}
