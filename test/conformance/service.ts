import { HANG_MS } from "../support/processes.ts";
import { isObject, type Json, type JsonObject } from "./match.ts";

const REQUEST_MS = 120_000;
const POLL_MS = 100;

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** The body read as JSON; undefined when it is none. */
  json: Json | undefined;
}

export interface Project {
  id: number;
  token: string;
}

/** The service under test, seen from outside. */
export class Service {
  constructor(
    readonly url: string,
    /** Scope `*`, owner. */
    readonly key: string,
  ) {}

  /** A request as it is, to a path or a link of the service. Bodies are bytes, so that no content type is added. */
  async send(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: Uint8Array<ArrayBuffer>,
  ): Promise<Reply> {
    const signal = AbortSignal.timeout(REQUEST_MS);
    const response = await fetch(this.linkTo(path), { method, headers, body, redirect: "manual", signal });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parse(text) };
  }

  /** Throws for a link to elsewhere: requests carry keys. */
  private linkTo(path: string): string {
    if (!/^https?:\/\//.test(path)) return this.url + path;
    if (new URL(path).origin !== new URL(this.url).origin) throw new Error(`${path} is not of ${this.url}`);
    return path;
  }

  /** A request with the owner's key. */
  api(method: string, path: string, body?: Json, headers: Record<string, string> = {}): Promise<Reply> {
    const own = { Authorization: `Bearer ${this.key}`, "Content-Type": "application/json", ...headers };
    return this.send(method, path, own, body === undefined ? undefined : bytesOf(JSON.stringify(body)));
  }

  /** The same where anything but success means that the case cannot go on. */
  async need(method: string, path: string, body?: Json, headers?: Record<string, string>): Promise<JsonObject> {
    const reply = await this.api(method, path, body, headers);
    if (reply.status >= 300 || !isObject(reply.json)) {
      throw new Error(`${method} ${path}: ${reply.status} ${reply.text.slice(0, 300)}`);
    }
    return reply.json;
  }

  async newProject(name: string): Promise<Project> {
    const made = await this.need("POST", "/api/projects/", { name: name.slice(0, 100) });
    return { id: Number(made.id), token: String(made.api_token) };
  }

  async newKey(wish: JsonObject): Promise<string> {
    return String((await this.need("POST", "/api/personal_api_keys/", { label: "conformance", ...wish })).value);
  }

  /** Sends events of a project in one batch; they are stored when it returns. */
  async store(project: Project, events: JsonObject[]): Promise<void> {
    if (events.length === 0) return;
    await this.need("POST", "/batch/", { api_key: project.token, batch: events });
    await this.stored(project);
  }

  /** Waits until nothing accepted is queued any more. */
  async stored(project: Project): Promise<void> {
    for (const giveUpAt = Date.now() + HANG_MS; ; await Bun.sleep(POLL_MS)) {
      const { queued } = await this.need("GET", `/api/environments/${project.id}/ingestion_status/`);
      if (queued === 0) return;
      if (Date.now() > giveUpAt) throw new Error(`still ${queued} queued after ${HANG_MS} ms`);
    }
  }

  /** Rows of a HogQL query; `values` are its placeholders. */
  async rows(project: Project, query: string, values: JsonObject = {}): Promise<Json[][]> {
    const body = { query: { kind: "HogQLQuery", query, values }, refresh: "force_blocking" };
    return (await this.need("POST", `/api/environments/${project.id}/query/`, body)).results as Json[][];
  }
}

export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
