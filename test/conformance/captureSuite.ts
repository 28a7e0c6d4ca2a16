import { bodyOf, type CaptureRequest } from "./encode.ts";
import { type Difference, differences, type Json, type JsonObject, STORED_RULES } from "./match.ts";
import { Placeholders } from "./placeholders.ts";
import type { SentWithin } from "./scene.ts";
import type { Project, Reply, Service } from "./service.ts";
import { checkStored, type ThenStored } from "./stored.ts";

interface Expectation {
  status?: number;
  statusIn?: number[];
  bodyMatches?: string;
  bodyContains?: string;
  bodyJson?: Json;
  headers?: Record<string, string>;
}

interface Step {
  request: CaptureRequest;
  expect: Expectation;
}

export type CaptureCase = { name: string; thenStored?: ThenStored } & (Step | { sequence: Step[] });

export async function runCaptureCase(service: Service, project: Project, testCase: CaptureCase): Promise<Difference[]> {
  const placeholders = new Placeholders(project.token);
  const steps = "sequence" in testCase ? testCase.sequence : [testCase];
  const found: Difference[] = [];
  const sent: SentWithin = { fromMs: Date.now(), toMs: 0 };
  for (const [i, { request, expect }] of steps.entries()) {
    const prefix = steps.length > 1 ? `sequence[${i}].` : "";
    const reply = await sendOne(service, request, placeholders);
    found.push(...checkReply(placeholders.fill(expect as JsonObject) as Expectation, reply, prefix));
    if (steps.length > 1) await service.stored(project);
  }
  sent.toMs = Date.now();
  if (testCase.thenStored === undefined) return found;
  await service.stored(project);
  const wanted = placeholders.fill(testCase.thenStored as JsonObject) as ThenStored;
  const groupTypes = groupTypesIn(steps.map((step) => step.request.body ?? null));
  return [...found, ...(await checkStored({ service, project, sent, groupTypes }, wanted))];
}

async function sendOne(service: Service, request: CaptureRequest, placeholders: Placeholders): Promise<Reply> {
  const headers = placeholders.fill((request.headers ?? {}) as JsonObject) as Record<string, string>;
  const body = bodyOf(request, placeholders);
  return service.send(request.method, placeholders.fill(request.path), headers, body);
}

function checkReply(expect: Expectation, reply: Reply, prefix: string): Difference[] {
  const found: Difference[] = [];
  const check = (path: string, expected: unknown, got: unknown, isMet: boolean) => {
    if (!isMet) found.push({ path: prefix + path, expected, got });
  };
  const { status, statusIn, bodyMatches, bodyContains, bodyJson, headers = {} } = expect;
  const shown = `${reply.status} ${reply.text.slice(0, 200)}`;
  if (status !== undefined) check("status", status, shown, reply.status === status);
  if (statusIn !== undefined) check("status", statusIn, shown, statusIn.includes(reply.status));
  if (bodyMatches !== undefined) check("body", bodyMatches, reply.text, new RegExp(bodyMatches).test(reply.text));
  if (bodyContains !== undefined) check("body", bodyContains, reply.text, reply.text.includes(bodyContains));
  if (bodyJson !== undefined) found.push(...differences(bodyJson, reply.json, `${prefix}body`, STORED_RULES));
  for (const [name, value] of Object.entries(headers)) {
    const got = reply.headers.get(name);
    check(`headers.${name}`, value, got, got === value || new RegExp(`^(?:${value})$`).test(got ?? ""));
  }
  return found;
}

/** Group types in the order in which a project of its own meets them: their indexes. */
function groupTypesIn(bodies: Json[]): string[] {
  const found = new Set<string>();
  const visit = (value: Json): void => {
    if (Array.isArray(value)) for (const item of value) visit(item);
    else if (value !== null && typeof value === "object") {
      if (typeof value.$group_type === "string") found.add(value.$group_type);
      const groups = value.$groups;
      if (groups !== null && typeof groups === "object" && !Array.isArray(groups)) {
        for (const type of Object.keys(groups ?? {})) found.add(type);
      }
      for (const member of Object.values(value)) visit(member);
    }
  };
  for (const body of bodies) visit(body);
  return [...found];
}
