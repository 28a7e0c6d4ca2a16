import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { until } from "../support/broker.ts";
import { BackgroundRig, QUERY_PATH, type Status } from "./backgroundRig.ts";
import { userElse } from "./scene.ts";

let rig: BackgroundRig;
beforeAll(async () => {
  rig = await BackgroundRig.start();
});
afterAll(() => rig.stop());
beforeEach(() => rig.reset());

describe("ending a query", () => {
  test.each(["this process", "another process"])("that runs in %s", async (where) => {
    rig.hang();
    const id = crypto.randomUUID();
    await rig.ask({ query: rig.sql(), refresh: "force_async", client_query_id: id });
    const runner = where === "this process" ? rig.server.deps.queries : rig.otherProcess();
    await rig.working(async () => {
      await until(() => rig.begun === 1);
      expect((await rig.server.send("DELETE", `${QUERY_PATH}${id}/`)).json as object).toEqual({
        message: "Query task revoked",
      });
      await until(() => rig.aborted === 1);
    }, runner);
    expect((await rig.poll(id)).status).toBe(404);
  });

  test("that somebody waits for, by the id the client gave it, from another process", async () => {
    rig.hang();
    const id = crypto.randomUUID();
    const waiting = rig.ask({ query: rig.sql(), refresh: "force_blocking", client_query_id: id });
    await until(() => rig.begun === 1);
    const own = { teamId: 1, id, userId: 1 };
    for (const other of [{ id: "another id" }, { teamId: 2 }, { userId: 2 }]) {
      await rig.otherProcess().cancels.order({ ...own, ...other });
    }
    expect(rig.aborted).toBe(0);
    await rig.otherProcess().cancels.order(own);
    expect((await waiting).json).toMatchObject({ code: "query_cancelled" } as never);
    expect(rig.aborted).toBe(1);
  });

  test("of an insight, through its cancel endpoint", async () => {
    rig.hang();
    const query = { kind: "InsightVizNode", source: { kind: "TrendsQuery", series: [{ kind: "EventsNode" }] } };
    const { id } = (await rig.server.send("POST", "/api/environments/1/insights/", { body: { query } })).json as {
      id: number;
    };
    const waiting = rig.server.send("GET", `/api/environments/1/insights/${id}/?refresh=blocking&client_query_id=mine`);
    await until(() => rig.begun === 1);
    const cancel = (body: object) => rig.server.send("POST", "/api/environments/1/insights/cancel/", { body });
    expect((await cancel({})).json as object).toEqual({
      type: "validation_error",
      code: "invalid_input",
      detail: "Field is required.",
      attr: "client_query_id",
    });
    const reply = await cancel({ client_query_id: "mine" });
    expect([reply.status, reply.text]).toEqual([200, ""]);
    expect((await waiting).status).toBe(400);
    expect((await cancel({ client_query_id: "unknown" })).status).toBe(200);
  });

  test("before anybody took it, and one that is done", async () => {
    const id = crypto.randomUUID();
    await rig.ask({ query: rig.sql(), refresh: "force_async", client_query_id: id });
    await rig.server.send("DELETE", `${QUERY_PATH}${id}/`);
    const later = crypto.randomUUID();
    await rig.ask({ query: rig.sql(), refresh: "force_async", client_query_id: later });
    await rig.working(() => until(async () => (await rig.poll(later)).complete));
    expect(rig.begun).toBe(1);
    expect((await rig.server.send("DELETE", `${QUERY_PATH}${later}/`)).json as object).toEqual({
      message: "Query already complete",
    });
    expect((await rig.poll(later)).status).toBe(200);
  });

  describe("that two readers ask for in the background", () => {
    const idOf = ({ json }: { json: unknown }) => (json as Status).query_status.id;
    const end = (id: string) => rig.server.send("DELETE", `${QUERY_PATH}${id}/`);

    test.each(["this process", "another process"])("goes on for the other, in %s", async (where) => {
      const gate = Promise.withResolvers<unknown[]>();
      rig.calculate = () => gate.promise;
      const query = rig.sql();
      const id = idOf(await rig.ask({ query, refresh: "async" }));
      const runner = where === "this process" ? rig.server.deps.queries : rig.otherProcess();
      await rig.working(async () => {
        await until(() => rig.begun === 1);
        const second = await rig.ask({ query, refresh: "async" });
        expect([second.status, idOf(second)]).toEqual([202, id]);
        expect((await end(id)).json as object).toEqual({ message: "Query task revoked" });
        expect(await rig.poll(id)).toMatchObject({ status: 202, complete: false });
        gate.resolve([["for the other"]]);
        await until(async () => (await rig.poll(id)).complete);
      }, runner);
      expect(await rig.poll(id)).toMatchObject({ status: 200, results: { results: [["for the other"]] } });
      expect([rig.begun, rig.aborted]).toEqual([1, 0]);
    });

    test("ends when both have ended it, and a third asks for one of its own", async () => {
      rig.hang();
      // The reserve would begin the third at once, and it would share what still runs.
      const alone = { hasReserve: false };
      const query = rig.sql();
      const ids = [await rig.ask({ query, refresh: "async" }), await rig.ask({ query, refresh: "force_async" })].map(
        idOf,
      );
      expect(ids[0]).toBe(ids[1]!);
      await rig.working(
        async () => {
          await until(() => rig.begun === 1);
          for (const id of ids) await end(id);
          // At once: the order to end the first is still on its way to the process that runs it.
          rig.calculate = async () => [["for the third"]];
          const third = idOf(await rig.ask({ query, refresh: "async" }));
          await until(() => rig.aborted === 1);
          await until(async () => (await rig.poll(third)).complete);
          expect(await rig.poll(third)).toMatchObject({ status: 200, results: { results: [["for the third"]] } });
        },
        rig.otherProcess(),
        alone,
      );
    });

    test("under the id of one: its own question again is not one more asker", async () => {
      rig.hang();
      const query = rig.sql();
      const mine = crypto.randomUUID();
      const own = { query, refresh: "async", client_query_id: mine };
      for (let time = 0; time < 2; time++) expect(idOf(await rig.ask(own))).toBe(mine);
      const joined = idOf(await rig.ask({ query, refresh: "async" }));
      expect(joined).toBe(mine);
      await rig.working(async () => {
        await until(() => rig.begun === 1);
        await end(mine);
        expect((await rig.poll(joined)).status).toBe(202);
        await end(joined);
        await until(() => rig.aborted === 1);
      });
      expect((await rig.poll(joined)).status).toBe(404);
    });

    test("is not ended by one that found its answer in the cache", async () => {
      const query = rig.sql();
      await rig.ask({ query, refresh: "blocking" });
      const gate = Promise.withResolvers<unknown[]>();
      rig.calculate = () => gate.promise;
      const id = idOf(await rig.ask({ query, refresh: "force_async" }));
      const cached = await rig.ask({ query, refresh: "async" });
      expect(cached.json).toMatchObject({ results: [[1]], is_cached: true, query_status: null } as never);
      await rig.working(async () => {
        gate.resolve([["anew"]]);
        await until(async () => (await rig.poll(id)).complete);
      });
      expect(await rig.poll(id)).toMatchObject({ results: { results: [["anew"]] } });
    });
  });

  describe("of another member", () => {
    let key: string;
    beforeAll(async () => {
      const { id: userId } = await userElse(rig.server);
      key = (await rig.server.createKey({ userId, scopes: ["*"], level: "member" })).value;
    });
    const send = (method: string, id: string) => rig.server.send(method, `${QUERY_PATH}${id}/`, { key });
    const asked = (body: object) => rig.server.send("POST", QUERY_PATH, { key, body });

    test("in the background: it is not there, and its id is taken", async () => {
      const id = crypto.randomUUID();
      const query = rig.sql();
      await rig.ask({ query, refresh: "force_async", client_query_id: id });
      expect([(await send("GET", id)).status, (await send("DELETE", id)).status]).toEqual([404, 404]);
      const cancel = { key, body: { client_query_id: id } };
      expect((await rig.server.send("POST", "/api/environments/1/insights/cancel/", cancel)).status).toBe(404);
      const taken = await asked({ query: rig.sql(), refresh: "force_async", client_query_id: id });
      expect([taken.status, (taken.json as { attr: string }).attr]).toEqual([400, "client_query_id"]);
      await rig.working(() => until(async () => (await rig.poll(id)).complete));
      expect(rig.begun).toBe(1);
      expect((await send("GET", id)).status).toBe(404);
    });

    test("in the background: whoever asks the same may follow it, until it has ended it", async () => {
      const query = rig.sql();
      const id = crypto.randomUUID();
      await rig.ask({ query, refresh: "async", client_query_id: id });
      const joined = (await asked({ query, refresh: "async" })).json as Status;
      expect(joined.query_status.id).toBe(id);
      expect((await send("GET", id)).status).toBe(202);
      expect((await send("DELETE", id)).status).toBe(200);
      expect((await send("GET", id)).status).toBe(404);
      await rig.working(() => until(async () => (await rig.poll(id)).complete));
    });

    test("that waits for its answer", async () => {
      rig.hang();
      const id = crypto.randomUUID();
      const waiting = rig.ask({ query: rig.sql(), refresh: "force_blocking", client_query_id: id });
      await until(() => rig.begun === 1);
      expect((await send("DELETE", id)).status).toBe(200);
      // The order of its own is behind that of the other.
      await rig.server.send("DELETE", `${QUERY_PATH}${id}/`);
      expect((await waiting).json).toMatchObject({ code: "query_cancelled" } as never);
      const orders = await rig.server.db.read(
        (tx) => tx`select query_id from query_cancels where query_id like ${`%${id}`}`,
      );
      expect(orders).toHaveLength(2);
    });
  });

  test("does not end one that others wait for, too", async () => {
    const gate = Promise.withResolvers<unknown[]>();
    rig.calculate = () => gate.promise;
    const query = rig.sql();
    const leaves = new AbortController();
    const first = rig.server.send("POST", QUERY_PATH, { body: { query }, signal: leaves.signal }).catch(() => "left");
    await until(() => rig.begun === 1);
    const second = rig.ask({ query, client_query_id: "second" });
    const third = rig.ask({ query });
    const waitingFor = () => rig.server.deps.queries.calculator.waiting;
    await until(() => waitingFor() === 3);
    leaves.abort();
    expect(await first).toBe("left");
    await rig.server.deps.queries.cancels.order({ teamId: 1, id: "second", userId: 1 });
    expect((await second).status).toBe(400);
    await until(() => waitingFor() === 1);
    expect(rig.aborted).toBe(0);
    gate.resolve([["third"]]);
    expect((await third).json).toMatchObject({ results: [["third"]] } as never);
    expect(rig.begun).toBe(1);
  });
});
