import { randomBytes, randomInt, randomUUID } from "node:crypto";

const USERS = 50_000;
const NAMES = 20;
const PAGES = 200;
const CUSTOM_KEYS = 6;
const HOUR_MS = 3_600_000;

const word = () => randomBytes(5).toString("hex");
const pick = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)]!;

/** Gives the JSON text of one event a call: about 1 KB, shaped like those of a browser library. */
export interface EventSource {
  eventName(): string;
  next(): string;
}

/**
 * `now` tells the latest time of events, `spanMs` how far back they lie. Names, keys and values are drawn anew for each source, so that nothing can be prepared for them.
 * Text is put together from parts: the generator shares the machine with what is measured.
 */
export function eventSource(now: () => number, spanMs = HOUR_MS): EventSource {
  const run = word();
  const names = Array.from({ length: NAMES }, () => `${word()} ${run}`);
  const users = Array.from({ length: USERS }, () => randomUUID());
  const host = `https://${word()}.example.com`;
  const pages = Array.from({ length: PAGES }, () => `/${word()}/${word()}`);
  const customKeys = Array.from({ length: CUSTOM_KEYS }, () => `${word()}_${word()}`);
  const plans = Array.from({ length: 5 }, word);
  const browser = (version: number) =>
    `"$os":"Linux","$browser":"Chrome","$browser_version":${version},"$device_type":"Desktop","$screen_height":1440,` +
    `"$screen_width":2560,"$viewport_height":1297,"$viewport_width":2512,"$lib":"web","$lib_version":"1.275.0",` +
    `"$raw_user_agent":"Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version}.0.0.0 Safari/537.36",` +
    `"$host":"${host.slice(8)}","$timezone":"Europe/Berlin","$referrer":"$direct","$referring_domain":"$direct"`;
  const browsers = Array.from({ length: 10 }, (_, i) => browser(120 + i));
  const next = () => {
    const user = pick(users);
    const page = pick(pages);
    const timestamp = new Date(now() - Math.floor(Math.random() * spanMs)).toISOString();
    return (
      `{"uuid":"${randomUUID()}","event":"${pick(names)}","distinct_id":"${user}","timestamp":"${timestamp}","properties":{` +
      `${pick(browsers)},"$current_url":"${host}${page}?q=${user.slice(0, 8)}","$pathname":"${page}",` +
      `"$session_id":"${user.slice(0, 18)}-session","$insert_id":"${randomUUID()}","token":"phc_test_project",` +
      `"${customKeys[0]}":"${pick(plans)}","${customKeys[1]}":${Math.floor(Math.random() * 1e6)},` +
      `"${customKeys[2]}":${(Math.random() * 1000).toFixed(2)},"${customKeys[3]}":${Math.random() < 0.5},` +
      `"${customKeys[4]}":["${pick(plans)}","${pick(plans)}"],"${customKeys[5]}":null}}`
    );
  };
  return { next, eventName: () => names[randomInt(NAMES)]! };
}
