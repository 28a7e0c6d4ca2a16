import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { sharedBy } from "../../src/capture/mod.ts";
import { PATHS, V1_PATH } from "../../src/capture/paths.ts";
import { sdkRoutes } from "../../src/capture/sdk/routes.ts";
import { loadConfig } from "../../src/config.ts";
import { operations, ROUTES } from "../../src/manage/mod.ts";
import { isJsonObject, type Json, type JsonObject } from "../../src/types/mod.ts";
import { type ManageServer, startManage } from "../support/manage.ts";

let server: ManageServer;
let document: JsonObject;
beforeAll(async () => {
  server = await startManage();
  document = (await server.send("GET", "/openapi.json", { key: null })).json;
});
afterAll(() => server.stop());

const METHODS = ["get", "post", "patch", "put", "delete"];

/** Every operation as `METHOD path`. */
function operationsOf({ paths }: JsonObject): [string, JsonObject][] {
  return Object.entries(paths as Record<string, JsonObject>).flatMap(([path, item]) =>
    Object.entries(item).map(([method, one]): [string, JsonObject] => [
      `${method.toUpperCase()} ${path}`,
      one as JsonObject,
    ]),
  );
}

/** All that has a `$ref`, or a key of the name, anywhere. */
function valuesOf(value: Json, name: string): Json[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesOf(item, name));
  if (!isJsonObject(value)) return [];
  const own = Object.hasOwn(value, name) ? [value[name]!] : [];
  return [...own, ...Object.values(value).flatMap((one) => valuesOf(one, name))];
}

describe("/openapi.json", () => {
  test("is valid OpenAPI 3.1", async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(document));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
    expect(validator.version).toBe("3.1");
  });

  test("has no `nullable`, which 3.1 does not know, and no reference to nothing", () => {
    expect(valuesOf(document, "nullable")).toEqual([]);
    for (const ref of valuesOf(document, "$ref") as string[]) {
      const parts = ref.split("/").slice(1);
      const target = parts.reduce<Json | undefined>((at, part) => (isJsonObject(at) ? at[part] : undefined), document);
      expect([ref, target === undefined]).toEqual([ref, false]);
    }
  });

  test("gives every operation an id of its own", () => {
    const ids = operationsOf(document).map(([, { operationId }]) => String(operationId));
    expect(ids.filter((id, i) => !/^[a-z]\w+$/.test(id) || ids.indexOf(id) !== i)).toEqual([]);
  });

  test("has the methods that exist and no other", () => {
    const methods = Object.values(document.paths as Record<string, JsonObject>).flatMap((item) => Object.keys(item));
    expect(methods.filter((method) => !METHODS.includes(method))).toEqual([]);
    const documented = operationsOf(document).map(([name]) => name);
    expect(documented).toHaveLength(new Set(documented).size);
    const offered = ROUTES.filter(({ responses }) => Object.keys(responses).some((status) => Number(status) < 400));
    const served = offered.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`);
    const inManage = documented.filter((name) => served.includes(name));
    expect(inManage.sort()).toEqual([...new Set(served)].sort());
  });

  test("says of every route of the management API what it answers", () => {
    const silent = ROUTES.filter(({ responses }) => Object.keys(responses ?? {}).length === 0);
    expect(silent.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });

  test("says of every operation its answers, its parameters and its body", () => {
    for (const [name, operation] of operationsOf(document)) {
      const statuses = Object.keys(operation.responses as JsonObject);
      expect([name, statuses.length > 0]).toEqual([name, true]);
      const parameters = (operation.parameters as JsonObject[]).map((one) =>
        one.$ref === undefined ? one : (valueAt(String(one.$ref)) as JsonObject),
      );
      const inPath = parameters.filter((one) => one.in === "path").map((one) => one.name);
      expect([name, inPath]).toEqual([name, [...name.matchAll(/\{(\w+)\}/g)].map(([, one]) => one!)]);
      const names = parameters.map((one) => `${one.in} ${one.name}`);
      expect(names).toHaveLength(new Set(names).size);
    }
  });

  test("says of every route of the management API its query parameters, its body and its errors", () => {
    const known = new Map(operationsOf(document));
    for (const route of ROUTES.filter(({ responses }) =>
      Object.keys(responses).some((status) => Number(status) < 400),
    )) {
      const name = `${route.method} ${route.path.replace(/:(\w+)/g, "{$1}")}`;
      const operation = known.get(name)!;
      const parameters = (operation.parameters as JsonObject[]).map((one) =>
        one.$ref === undefined ? one : (valueAt(String(one.$ref)) as JsonObject),
      );
      const inQuery = parameters.filter((one) => one.in === "query").map((one) => String(one.name));
      const guarded = route.confinement === "open" ? [] : ["format"];
      expect([name, inQuery]).toEqual([name, expect.arrayContaining([...Object.keys(route.query ?? {}), ...guarded])]);
      const errors = route.confinement === "open" ? [400, 500, 503] : [400, 401, 403, 404, 429, 500, 503];
      if (route.body !== undefined) errors.push(408, 413);
      const responses = operation.responses as Record<string, JsonObject>;
      expect([name, Object.keys(responses).map(Number)]).toEqual([name, expect.arrayContaining(errors)]);
      expect([name, operation.requestBody !== undefined]).toEqual([name, route.body !== undefined]);
    }
  });

  test("has every path that events are sent to, and every one that SDKs ask at", () => {
    const config = loadConfig({});
    const shared = sharedBy(config, { findByToken: async () => null });
    const sdk = sdkRoutes({ ...shared, config, now: () => 0 });
    const served = [
      ...PATHS.flatMap(({ paths, methods }) => paths.flatMap((path) => methods.map((method) => `${method} ${path}`))),
      `POST ${V1_PATH}`,
      ...sdk.flatMap(({ method, paths }) => paths.map((path) => `${method} ${path}`)),
    ].map((name) => name.replace(/\/$/, "").replace(/:(\w+)/g, "{$1}"));
    const documented = operations()
      .filter(({ tag }) => tag === "capture" || tag === "sdk")
      .map(({ method, path }) => `${method} ${path.replace(/\/$/, "")}`);
    expect([...documented].sort()).toEqual([...new Set(served)].sort());
  });

  function valueAt(ref: string): Json | undefined {
    const parts = ref.split("/").slice(1);
    return parts.reduce<Json | undefined>((at, part) => (isJsonObject(at) ? at[part] : undefined), document);
  }
});

describe("a body without what it must have", () => {
  const demanding = ROUTES.filter(({ requires }) => requires !== undefined);

  test.each(demanding.map((route) => ({ name: `${route.method} ${route.path}`, route })))(
    "$name is refused",
    async ({ route }) => {
      const { newScene, pathOf, bodyOf } = await import("../manage/scene.ts");
      const scene = await newScene(server);
      const path = await pathOf(route, scene);
      for (const name of route.requires ?? []) {
        const { [name]: _, ...body } = { ...(await bodyOf(route, scene)) } as JsonObject;
        const reply = await server.send(route.method, path, { body });
        expect([name, reply.status]).toEqual([name, 400]);
        expect(reply.text).toContain(name);
      }
    },
  );
});

describe("the query string", () => {
  test("is read only where it is declared", async () => {
    const { Query } = await import("../../src/manage/http/query.ts");
    const declared = {
      limit: { description: "", schema: {} as never },
      p_: { description: "", schema: {} as never, isPrefix: true },
    };
    const query = new Query(declared, new URLSearchParams("limit=1&limit=2&p_x=3&other=4"));
    expect([query.get("limit"), query.getAll("limit"), query.has("p_x")]).toEqual(["1", ["1", "2"], true]);
    expect(query.entries()).toEqual([
      ["limit", "1"],
      ["limit", "2"],
      ["p_x", "3"],
    ]);
    for (const read of [() => query.get("other"), () => query.has("other"), () => query.getAll("other")]) {
      expect(read).toThrow('does not declare the query parameter "other"');
    }
  });
});

describe("/swagger", () => {
  test("loads everything from the service itself", async () => {
    for (const path of ["/swagger", "/swagger/"]) {
      const page = await server.send("GET", path, { key: null });
      expect(page.status).toBe(200);
      expect(page.text).not.toMatch(/https?:|["'(]\/\//);
      expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
      const loaded = [...page.text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, url]) => url!);
      expect(loaded).toHaveLength(3);
      for (const url of loaded) {
        const file = await server.send("GET", url, { key: null });
        expect([url, file.status, file.text.length > 0]).toEqual([url, 200, true]);
        expect(file.headers.get("x-content-type-options")).toBe("nosniff");
      }
    }
    const start = await server.send("GET", "/swagger/start.js", { key: null });
    expect(start.text).toContain('"/openapi.json"');
  });

  test("has no other file", async () => {
    for (const name of ["index.html", "package.json", "..%2fpackage.json", "constructor"]) {
      expect((await server.send("GET", `/swagger/${name}`, { key: null })).status).toBe(404);
    }
  });
});
