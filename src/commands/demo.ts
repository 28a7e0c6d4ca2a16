import type { Config } from "../config.ts";
import { DEMO_SIZE, type DemoWish, makeDemo } from "../manage/mod.ts";
import { frontUrl } from "../roles/urls.ts";
import { type Arguments, wholeNumber } from "./kit/command.ts";
import type { Deed } from "./kit/records.ts";

type DemoArguments = Arguments<{ people: "text"; days: "text"; seed: "text"; url: "text"; json: "flag" }>;

const LIMITS = { people: 100_000, days: 730, seed: 2 ** 31 };

/** `weir demo`. Throws UsageError; the deed throws TerminalError `not_running`, `unreachable`, `other_weir`, `demo_busy` or `not_found`. */
export function readDemo({ options }: DemoArguments, config: Config): Deed {
  const number = (name: keyof typeof LIMITS) =>
    wholeNumber(`--${name}`, options[name] ?? String(DEMO_SIZE[name]), 1, LIMITS[name]);
  const wish: Omit<DemoWish, "url"> = { people: number("people"), days: number("days"), seed: number("seed") };
  return async (db) => {
    const demo = await makeDemo({ ...wish, url: options.url ?? frontUrl(config) }, db);
    const sentence = `Project ${demo.id} "${demo.name}" has ${demo.events} events and some insights.`;
    return { text: options.json ? JSON.stringify(demo) : sentence };
  };
}
