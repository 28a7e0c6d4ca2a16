import { expect } from "bun:test";
import { type CaptureDeps, capturePlugin, sdkPlugin, sharedBy } from "../../src/capture/mod.ts";
import { type Config, loadConfig } from "../../src/config.ts";
import type { PublishBatch } from "../../src/stream/mod.ts";
import type { AcceptedEvent } from "../../src/types/mod.ts";
import { documented } from "../support/documented.ts";
import { written } from "./support.ts";

export const TOKEN = "phc_test";
export const TEAM = 7;
export const NOW_MS = Date.UTC(2026, 4, 3, 12);

type Body = NonNullable<RequestInit["body"]>;

/** With its events as a frame gives them back. */
export interface RecordedBatch extends PublishBatch {
  events: AcceptedEvent[];
}

export interface RunningFront {
  url: string;
  /** Everything published, in order. */
  batches: RecordedBatch[];
  events(): AcceptedEvent[];
  post(body: Body | object, headers?: Record<string, string>, path?: string): Promise<Response>;
  stop(): Promise<void>;
}

type Overrides = Partial<Omit<CaptureDeps, "config">> & {
  config?: Partial<Config>;
  projects?: Parameters<typeof sharedBy>[1];
};

/** A front on a free port, before a publisher that records. Its project keeps no addresses, so properties are as sent. */
export function launchFront(overrides: Overrides = {}): RunningFront {
  const batches: RecordedBatch[] = [];
  const config = { ...loadConfig({}), ...overrides.config };
  const findByToken = async (token: string) => (token === TOKEN ? { teamId: TEAM, anonymizeIps: true } : null);
  const shared = sharedBy(config, overrides.projects ?? { findByToken });
  const now = () => NOW_MS;
  const app = capturePlugin({
    ...shared,
    publisher: {
      publish: async (batch) => {
        batches.push({ ...batch, events: written(batch.events) });
      },
    },
    admission: { check: () => null },
    now,
    ...overrides,
    config,
  }).use(sdkPlugin({ ...shared, config, now }));
  app.listen({ hostname: "127.0.0.1", port: 0, maxRequestBodySize: 128 * 1024 * 1024 });
  const url = `http://127.0.0.1:${app.server!.port}`;
  return {
    url,
    batches,
    events: () => batches.flatMap((batch) => batch.events),
    post: async (body, headers = {}, path = "/batch/") => {
      const isPlain =
        typeof body === "object" && [Object.prototype, Array.prototype].includes(Object.getPrototypeOf(body));
      const sent = isPlain ? JSON.stringify(body) : (body as Body);
      return documented("POST", await fetch(url + path, { method: "POST", headers, body: sent }));
    },
    stop: async () => {
      await app.server?.stop(true);
    },
  };
}

export interface Failure {
  type: string;
  code: string;
  detail: string;
  attr: null;
}

export async function failureOf(answer: Response): Promise<Failure> {
  return (await answer.json()) as Failure;
}

/** The answer says so, and nothing was published. */
export async function expectFailure(
  front: RunningFront,
  answer: Response,
  status: number,
  failure: Partial<Failure>,
): Promise<void> {
  expect(answer.status).toBe(status);
  expect(answer.headers.get("content-type")).toContain("application/json");
  expect(await failureOf(answer)).toMatchObject({ ...failure, attr: null });
  expect(front.batches).toEqual([]);
}
