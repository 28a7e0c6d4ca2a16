import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { RetryableError, TerminalError } from "../../src/types/mod.ts";
import { type ManageServer, startManage } from "../support/manage.ts";

let server: ManageServer;
beforeAll(async () => {
  server = await startManage({ manageBodyMaxBytes: 20_000 });
});
afterAll(() => server.stop());

const insights = "/api/environments/1/insights/";

describe("bodies", () => {
  const post = (body: string) => server.send("POST", insights, { body });

  test("malformed JSON is a parse error", async () => {
    const reply = await post("{not json");
    expect(reply.status).toBe(400);
    expect(reply.json).toMatchObject({ type: "invalid_request", code: "parse_error", attr: null } as never);
    expect((reply.json as { detail: string }).detail).toStartWith("JSON parse error - ");
  });

  test("no body is an empty object", async () => {
    expect((await post("")).status).toBe(201);
  });

  test("another value than an object is refused", async () => {
    for (const body of ["[]", "1", '"x"', "null"]) {
      expect((await post(body)).json).toMatchObject({
        type: "validation_error",
        code: "invalid_input",
        attr: null,
      } as never);
    }
  });

  test("too deep is refused, and the service goes on", async () => {
    for (const depth of [201, 3000, 9000]) {
      const reply = await post(`{"filters":${"[".repeat(depth)}${"]".repeat(depth)}}`);
      expect(reply.json).toMatchObject({ code: "parse_error" } as never);
    }
    const fine = `{"filters":{"a":${"[".repeat(190)}${"]".repeat(190)}}}`;
    expect((await post(fine)).status).toBe(201);
  });

  test("too large is 413", async () => {
    expect((await post(JSON.stringify({ name: "x".repeat(20_000) }))).status).toBe(413);
  });

  test("lone surrogates become U+FFFD, NUL is refused", async () => {
    expect((await post('{"name":"a\\ud800b"}')).json).toMatchObject({ name: "a\ufffdb" } as never);
    expect((await post('{"name":"a\\u0000b"}')).json).toMatchObject({
      code: "null_characters_not_allowed",
      attr: "name",
    } as never);
    expect((await server.send("GET", `${insights}?search=%00`)).status).toBe(400);
  });
});

describe("paths and methods", () => {
  test("an unknown path is 404 in the documented form", async () => {
    for (const path of ["/api/nothing/", "/api/projects/1/nothing/", "/api/"]) {
      const reply = await server.send("GET", path);
      expect(reply.status).toBe(404);
      expect(reply.json as object).toEqual({
        type: "invalid_request",
        code: "not_found",
        detail: "Not found.",
        attr: null,
      });
    }
  });

  test("a method that a path does not have is 405", async () => {
    const reply = await server.send("DELETE", insights);
    expect(reply.status).toBe(405);
    expect(reply.headers.get("allow")).toBe("GET, POST, OPTIONS");
    expect(reply.json as object).toEqual({
      type: "invalid_request",
      code: "method_not_allowed",
      detail: 'Method "DELETE" not allowed.',
      attr: null,
    });
    expect((await server.send("PUT", "/_readiness", { key: null })).status).toBe(405);
  });

  test("who asks comes before what a path does not have", async () => {
    for (const key of [null, "phx_bogus"]) expect((await server.send("DELETE", insights, { key })).status).toBe(401);
  });

  test("OPTIONS tells the methods of a path", async () => {
    const reply = await server.send("OPTIONS", insights, { key: null });
    expect([reply.status, reply.headers.get("allow"), reply.text]).toEqual([204, "GET, POST, OPTIONS", ""]);
  });

  test("a path of words is not taken for an object of that name", async () => {
    const { id } = (await server.send("POST", insights, { body: {} })).json as { id: number };
    for (const [method, path, allowed] of [
      ["DELETE", `${insights}activity/`, "GET, OPTIONS"],
      ["PATCH", `${insights}cancel/`, "POST, OPTIONS"],
      // Known to the routes, that it may answer without a body; offered to nobody.
      ["OPTIONS", `${insights}${id}/`, "GET, PATCH, PUT, OPTIONS"],
    ] as const) {
      const reply = await server.send(method, path);
      expect([path, reply.status, reply.headers.get("allow")]).toEqual([
        path,
        method === "OPTIONS" ? 204 : 405,
        allowed,
      ]);
    }
  });

  test("HEAD is answered like GET, without a body", async () => {
    const reply = await server.send("HEAD", insights);
    expect(reply.status).toBe(200);
    expect(reply.text).toBe("");
  });
});

describe("every answer", () => {
  test.each([
    ["GET", insights, {}],
    ["GET", `${insights}?format=csv`, {}],
    ["GET", insights, { key: null }],
    ["GET", "/api/nothing/", {}],
    ["GET", `${insights}999/`, {}],
    ["DELETE", insights, {}],
    ["OPTIONS", insights, {}],
    ["POST", insights, { body: "{nope" }],
    ["POST", insights, { body: "{}" }],
    ["GET", "/metrics", {}],
    ["GET", "/shared/nothing/", { key: null }],
  ])("to %s %s %j is kept by nobody and is what it says it is", async (method, path, o) => {
    const { headers } = await server.send(method, path, o);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cache-control")).toBe("no-store");
  });
});

describe("failures behind the API", () => {
  const query = { query: { kind: "HogQLQuery", query: "select 1" } };
  const failWith = async (error: Error) => {
    server.runQuery = () => Promise.reject(error);
    return server.send("POST", "/api/environments/1/query/", { body: query });
  };

  test.each([
    ["invalid_query", 400, "invalid_request", "parse_error"],
    ["invalid_hogql", 400, "validation_error", "invalid_input"],
    ["query_failed", 400, "validation_error", "invalid_input"],
    ["result_too_large", 400, "validation_error", "result_too_large"],
    ["query_memory", 400, "validation_error", "query_memory"],
    ["query_cancelled", 400, "validation_error", "query_cancelled"],
    ["query_timeout", 504, "server_error", "query_timeout"],
  ])("%s is %d %s %s", async (failure, status, type, code) => {
    const reply = await failWith(new TerminalError(failure, "what went wrong"));
    expect(reply.status).toBe(status);
    expect(reply.json).toMatchObject({ type, code, attr: null } as never);
    if (failure !== "query_cancelled") expect(reply.json).toMatchObject({ detail: "what went wrong" } as never);
  });

  test.each(["segment_unreadable", "query_engine_failed"])("%s is a 500 of its own code", async (failure) => {
    const reply = await failWith(new TerminalError(failure, "secret detail"));
    expect(reply.status).toBe(500);
    expect(reply.json).toMatchObject({ type: "server_error", code: failure, attr: null } as never);
    expect(reply.text).not.toContain("secret");
  });

  test("busy is 429 with the time to wait", async () => {
    const reply = await failWith(new RetryableError("queries_busy", "all busy"));
    expect(reply.status).toBe(429);
    expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(reply.json).toMatchObject({ type: "throttled_error", code: "throttled" } as never);
  });

  test("anything else is a 500 that tells nothing, and is logged", async () => {
    const reply = await failWith(new Error("secret detail"));
    expect(reply.status).toBe(500);
    const detail = "A server error occurred.";
    expect(reply.json as object).toEqual({ type: "server_error", code: "error", detail, attr: null });
    expect(server.logged.join()).toContain("secret detail");
    expect(server.logged.join()).not.toContain(server.key);
  });

  test("what may pass later is a 503 that tells its code only, and is logged", async () => {
    const reply = await failWith(new RetryableError("segment_missing", "secret detail"));
    expect(reply.status).toBe(503);
    expect(reply.headers.get("Retry-After")).toBe("1");
    expect(reply.json as object).toMatchObject({ type: "server_error", code: "segment_missing", attr: null });
    expect(JSON.stringify(reply.json)).not.toContain("secret");
    expect(server.logged.join()).toContain("secret detail");
  });

  test("a client that goes away cancels its query", async () => {
    const started = Promise.withResolvers<AbortSignal>();
    const cancelled = Promise.withResolvers<void>();
    server.runQuery = (_node, context) => {
      started.resolve(context.signal!);
      return new Promise((_, reject) => {
        context.signal?.addEventListener("abort", () => {
          cancelled.resolve();
          reject(new TerminalError("query_cancelled", "cancelled"));
        });
      });
    };
    const client = new AbortController();
    const sent = server
      .send("POST", "/api/environments/1/query/", { body: query, signal: client.signal })
      .catch(() => {});
    expect((await started.promise).aborted).toBe(false);
    client.abort();
    await cancelled.promise;
    await sent;
  });
});

describe("the clock of tests", () => {
  const headers = { "X-Weir-Now": "2021-06-01T00:00:00Z" };

  test("is refused unless it is switched on", async () => {
    const reply = await server.send("GET", insights, { headers });
    expect(reply.status).toBe(400);
    expect(reply.json).toMatchObject({ code: "test_clock" } as never);
  });

  test("sets the time of one request", async () => {
    const other = await startManage({ testClock: true });
    try {
      const created = await other.send("POST", insights, { headers, body: {} });
      expect(created.json).toMatchObject({ created_at: "2021-06-01T00:00:00.000Z" } as never);
      for (const now of ["2021-06-01T02:00:00+02:00", "2021-06-01", "2021-06-01T00:00:00"]) {
        const same = await other.send("POST", insights, { headers: { "X-Weir-Now": now }, body: {} });
        expect(same.json).toMatchObject({ created_at: "2021-06-01T00:00:00.000Z" } as never);
      }
      expect((await other.send("GET", insights, { headers: { "X-Weir-Now": "soon" } })).status).toBe(400);
    } finally {
      await other.stop();
    }
  });
});

describe("operations", () => {
  test("readiness, liveness and metrics need no key", async () => {
    for (const path of ["/_readiness", "/_liveness/", "/metrics"]) {
      expect((await server.send("GET", path, { key: null })).status).toBe(200);
    }
    expect((await server.send("GET", "/metrics", { key: null })).text).toBe("weir_up 1\n");
    server.deps.health = { ...server.deps.health, ready: async () => "the broker is away", alive: () => "stuck" };
    const unready = await server.send("GET", "/_readiness", { key: null });
    expect([unready.status, unready.text]).toEqual([503, "the broker is away\n"]);
    expect((await server.send("GET", "/_liveness", { key: null })).status).toBe(503);
  });

  test("metrics can be closed by a token", async () => {
    const closed = await startManage({ metricsToken: "scrape me" });
    try {
      const status = async (token: string | null) => (await closed.send("GET", "/metrics", { key: token })).status;
      expect(await status("scrape me")).toBe(200);
      for (const wrong of [null, "scrape", "scrape me!", closed.key]) expect(await status(wrong)).toBe(401);
      expect((await closed.send("GET", "/_liveness", { key: null })).status).toBe(200);
    } finally {
      await closed.stop();
    }
  });

  test("ingestion status is that of the environment", async () => {
    const reply = await server.send("GET", "/api/environments/1/ingestion_status/");
    expect(reply.json as object).toMatchObject({ accepted: 3, queued: 1, stored: 2 });
  });

  test("ingestion warnings are pages of those of the environment", async () => {
    const stored = { type: "t", source: "capture", details: { event: "e" }, occurrences: 3, firstAtMs: 0, lastAtMs: 5 };
    server.deps.ingestion.warnings = async (teamId, { limit, offset }) => ({
      count: teamId * 5,
      items: Array.from({ length: limit }, (_, i) => ({ ...stored, type: `t${offset + i}` })),
    });
    for (const alias of ["environments", "projects"]) {
      const reply = await server.send("GET", `/api/${alias}/1/ingestion_warnings/?limit=2&offset=2`);
      const url = `${server.url}/api/${alias}/1/ingestion_warnings/`;
      const times = { first_timestamp: "1970-01-01T00:00:00.000Z", timestamp: "1970-01-01T00:00:00.005Z" };
      expect(reply.json as object).toEqual({
        count: 5,
        next: `${url}?limit=2&offset=4`,
        previous: `${url}?limit=2`,
        results: ["t2", "t3"].map((type) => ({
          type,
          source: "capture",
          details: { event: "e" },
          count: 3,
          ...times,
        })),
      });
    }
    const { value } = await server.createKey({ scopes: ["insight:read"] });
    expect((await server.send("GET", "/api/environments/1/ingestion_warnings/", { key: value })).status).toBe(403);
  });

  test("the API describes itself", async () => {
    const reply = await server.send("GET", "/openapi.json", { key: null });
    const { paths } = reply.json as {
      paths: Record<string, Record<string, { requestBody?: unknown; summary?: string }>>;
    };
    expect(paths["/api/environments/{project_id}/insights/{id}/"]?.patch?.requestBody).toBeDefined();
    expect(paths["/api/projects/"]?.get?.summary).toBe("List the projects");
    expect(Object.keys(paths)).not.toContain("/api/*");
  });
});
