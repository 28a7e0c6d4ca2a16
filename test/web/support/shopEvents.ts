import type { Weir } from "../../support/weir.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
export const PEOPLE = 24;
const COUNTRIES = ["DE", "FR", "US", "BR"];
const PLANS = ["free", "team", "business"];

/** The days of a small shop before today (UTC), at noon: people look, sign up, buy. Every number of it is the same in each run. */
export function shopEvents(nowMs: number): object[] {
  return Array.from({ length: PEOPLE }, (_, person) => eventsOf(person, nowMs)).flat();
}

function eventsOf(person: number, nowMs: number): object[] {
  const properties = {
    plan: PLANS[person % PLANS.length],
    amount: 10 + person,
    $geoip_country_code: COUNTRIES[person % COUNTRIES.length],
    $session_id: `session-${person}`,
  };
  const distinct_id = `person-${person}`;
  const todayMs = nowMs - (nowMs % DAY_MS);
  const at = (day: number, minute: number) =>
    new Date(todayMs - day * DAY_MS + 12 * HOUR_MS + minute * 60_000).toISOString();
  const event = (name: string, day: number, minute: number, more: object = {}) => ({
    event: name,
    distinct_id,
    timestamp: at(day, minute),
    properties: { ...properties, ...more, $set: { email: `person-${person}@example.com` } },
  });
  const days = [6, 5, 4, 3, 2, 1].filter((day) => (person + day) % 3 !== 0);
  return days.flatMap((day, visit) => [
    event("$pageview", day, 0, { $pathname: "/", $current_url: "https://shop.example/" }),
    event("$pageview", day, 1, { $pathname: `/lamps/${person % 3}`, $current_url: "https://shop.example/lamps" }),
    ...(visit === 0 && person % 2 === 0 ? [event("signed up", day, 3)] : []),
    ...(visit > 0 && person % 4 === 0 ? [event("bought", day, 5)] : []),
  ]);
}

export async function fillShop(weir: Weir): Promise<void> {
  const response = await weir.batch(shopEvents(Date.now()));
  if (!response.ok) throw new Error(`the shop was not filled: ${response.status} ${await response.text()}`);
  await weir.waitStored();
}
