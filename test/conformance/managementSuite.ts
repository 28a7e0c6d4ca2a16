import { HANG_MS } from "../support/processes.ts";
import { Fixtures } from "./fixtures.ts";
import { type Difference, differences, isObject, type Json, MANAGEMENT_RULES } from "./match.ts";
import { bytesOf, type Project, type Reply, type Service } from "./service.ts";

interface Step {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: Json;
  /** The body is text to be sent as it is. */
  raw_body?: boolean;
  expect: { status: number; json?: Json };
  /** Name → field of the answer, for later steps. */
  save?: Record<string, string>;
  poll_until_status?: number;
}

export interface ManagementCase {
  name: string;
  steps: Step[];
}

const POLL_MS = 100;

export async function runManagementCase(service: Service, project: Project, c: ManagementCase): Promise<Difference[]> {
  const names = await new Fixtures(service, project).make(c.steps as unknown as Json);
  const found: Difference[] = [];
  for (const [i, step] of c.steps.entries()) {
    const path = `steps[${i}]`;
    const reply = await sendStep(service, step, names);
    const { status } = step.expect;
    const json = step.expect.json === undefined ? undefined : fillExpected(step.expect.json, names);
    const got = `${reply.status} ${reply.text.slice(0, 200)}`;
    if (reply.status !== status) found.push({ path: `${path}.status`, expected: status, got });
    else if (json !== undefined) found.push(...differences(json, reply.json, `${path}.json`, MANAGEMENT_RULES));
    for (const [name, field] of Object.entries(step.save ?? {})) {
      const value = fieldOf(reply.json, field);
      if (value === undefined) return [...found, { path: `${path}.save.${name}`, expected: field, got }];
      names.set(name, value);
    }
  }
  return found;
}

async function sendStep(service: Service, step: Step, names: Map<string, Json>): Promise<Reply> {
  const { method, raw_body: isRaw, poll_until_status: wantedStatus } = step;
  const path = fillText(step.path, names, step.path.startsWith("{") ? printLink : encodeURIComponent);
  const headers = {
    "Content-Type": "application/json",
    ...(fill(step.headers ?? {}, names) as Record<string, string>),
  };
  const body = step.body === undefined ? undefined : isRaw ? String(step.body) : JSON.stringify(fill(step.body, names));
  const send = () => service.send(method, path, headers, body === undefined ? undefined : bytesOf(body));
  let reply = await send();
  if (wantedStatus === undefined) return reply;
  for (const giveUpAt = Date.now() + HANG_MS; reply.status !== wantedStatus && Date.now() < giveUpAt; ) {
    await Bun.sleep(POLL_MS);
    reply = await send();
  }
  return reply;
}

/** Where a path begins with a placeholder that may be a link: the link stays as it is. */
const printLink = (value: string): string => (/^https?:\/\//.test(value) ? value : encodeURIComponent(value));

/** A text that is nothing but a placeholder becomes its value, a number included. */
function fill(value: Json, names: Map<string, Json>): Json {
  if (typeof value === "string") {
    const whole = /^\{(\w+)\}$/.exec(value);
    return whole !== null && names.has(whole[1]!) ? names.get(whole[1]!)! : fillText(value, names, String);
  }
  if (Array.isArray(value)) return value.map((item) => fill(item, names));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fill(member, names)]));
}

/**
 * An expected placeholder stands for its value as a number or as text (`id` is the one, `item_id` the other); inside
 * of a matcher it is the value itself.
 */
function fillExpected(value: Json, names: Map<string, Json>): Json {
  if (typeof value === "string") {
    const whole = /^\{(\w+)\}$/.exec(value);
    return whole !== null && names.has(whole[1]!) ? { $same: names.get(whole[1]!)! } : fillText(value, names, String);
  }
  if (Array.isArray(value)) return value.map((item) => fillExpected(item, names));
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([key, member]): [string, Json] => [
    key,
    key.startsWith("$") ? fill(member, names) : fillExpected(member, names),
  ]);
  return Object.fromEntries(members);
}

function fillText(text: string, names: Map<string, Json>, print: (value: string) => string): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) =>
    names.has(name) ? print(String(names.get(name))) : whole,
  );
}

/** `id`, or a path such as `results.0.id`. */
function fieldOf(json: Json | undefined, path: string): Json | undefined {
  return path.split(".").reduce<Json | undefined>((value, key) => {
    if (Array.isArray(value)) return value[Number(key)];
    return isObject(value) ? value[key] : undefined;
  }, json);
}
