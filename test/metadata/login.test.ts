import { describe, expect, test } from "bun:test";
import {
  bootstrap,
  createLoginLink,
  createOwnerLink,
  createSession,
  endSession,
  endSessions,
  findLoginLink,
  findOwner,
  findSession,
  findUserByEmail,
  listSessions,
  readPasswordHash,
  replacePassword,
  touchSession,
  updateUser,
  useLoginLink,
} from "../../src/metadata/mod.ts";
import type { Db } from "../../src/store/mod.ts";
import { useStores } from "../support/stores.ts";

const NOW = Date.UTC(2026, 0, 15);
const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
const ALL = { limit: 100, offset: 0 };

async function ownerOf(db: Db) {
  await bootstrap(db, { projectApiKey: null, personalApiKey: null }, NOW);
  return (await db.read((tx) => findOwner(tx)))!;
}

const sessionWish = (userId: number, nowMs = NOW) => ({
  userId,
  host: "127.0.0.1",
  address: null,
  userAgent: "test",
  nowMs,
});

describe.each(useStores())("login on $name", ({ withStore }) => {
  test("a session is found until it was idle for 14 days or is 90 days old", () =>
    withStore(async (db) => {
      const { id: userId } = await ownerOf(db);
      const { session, token } = await db.write((tx) => createSession(tx, sessionWish(userId)));
      const find = (nowMs: number) => db.read((tx) => findSession(tx, token, nowMs));
      expect(await find(NOW + 14 * DAY_MS - 1)).toEqual(session);
      expect(await find(NOW + 14 * DAY_MS)).toBeNull();
      await touchSession(db, session, NOW + MINUTE_MS - 1);
      expect(await find(NOW)).toEqual(session);
      await touchSession(db, session, NOW + 89 * DAY_MS);
      expect(await find(NOW + 90 * DAY_MS - 1)).toMatchObject({ lastSeenAtMs: NOW + 89 * DAY_MS });
      expect(await find(NOW + 90 * DAY_MS)).toBeNull();
      expect(await db.read((tx) => findSession(tx, `${token}x`, NOW))).toBeNull();
    }));

  test("sessions that are over leave the store with the next login", () =>
    withStore(async (db) => {
      const { id: userId } = await ownerOf(db);
      await db.write((tx) => createSession(tx, sessionWish(userId)));
      const later = NOW + 14 * DAY_MS;
      const { session } = await db.write((tx) => createSession(tx, sessionWish(userId, later)));
      const rows: unknown[] = await db.read((tx) => tx`select id from sessions`);
      expect(rows.map((row) => (row as { id: string }).id)).toEqual([session.id]);
    }));

  test("a user has a hundred sessions at most: the ones end that were seen longest ago", () =>
    withStore(async (db) => {
      const { id: userId } = await ownerOf(db);
      const make = (user: number, nowMs: number) => db.write((tx) => createSession(tx, sessionWish(user, nowMs)));
      const other = await make(userId + 1, NOW);
      const old = await make(userId, NOW);
      const seen = await make(userId, NOW);
      await touchSession(db, seen.session, NOW + 2 * MINUTE_MS);
      for (let i = 0; i < 99; i++) await make(userId, NOW + MINUTE_MS);
      const { count } = await db.read((tx) => listSessions(tx, { ...ALL, userId, nowMs: NOW }));
      expect(count).toBe(100);
      const find = (token: string) => db.read((tx) => findSession(tx, token, NOW));
      expect([await find(old.token), (await find(seen.token))?.id]).toEqual([null, seen.session.id]);
      expect(await find(other.token)).not.toBeNull();
    }));

  test("sessions are listed and ended by user", () =>
    withStore(async (db) => {
      const { id: userId } = await ownerOf(db);
      const make = (user: number, nowMs = NOW) => db.write((tx) => createSession(tx, sessionWish(user, nowMs)));
      const [a, b, c] = [await make(userId), await make(userId, NOW + 1), await make(userId + 1)];
      const list = async () =>
        (await db.read((tx) => listSessions(tx, { ...ALL, userId, nowMs: NOW }))).items.map(({ id }) => id);
      expect(await list()).toEqual([b.session.id, a.session.id]);
      expect(await db.write((tx) => endSession(tx, { userId, id: c.session.id }))).toBe(false);
      expect(await db.write((tx) => endSessions(tx, { userId, exceptId: a.session.id }))).toBe(1);
      expect(await list()).toEqual([a.session.id]);
      expect(await db.write((tx) => endSession(tx, { userId, id: a.session.id }))).toBe(true);
      expect(await db.read((tx) => findSession(tx, c.token, NOW))).not.toBeNull();
    }));

  test("a login link works once, for 30 minutes", () =>
    withStore(async (db) => {
      const { id: userId } = await ownerOf(db);
      const make = () => db.write((tx) => createLoginLink(tx, userId, NOW));
      const find = (token: string, nowMs = NOW) => db.read((tx) => findLoginLink(tx, token, nowMs));
      const use = (token: string, nowMs = NOW) => db.write((tx) => useLoginLink(tx, token, nowMs));
      const [first, second] = [await make(), await make()];
      expect(await find(first, NOW + 30 * MINUTE_MS - 1)).toMatchObject({ id: userId });
      expect(await find(first, NOW + 30 * MINUTE_MS)).toBeNull();
      expect(await use(first, NOW + 30 * MINUTE_MS)).toBe(false);
      const uses = await Promise.all([use(first), use(first), use(first)]);
      expect(uses.filter(Boolean)).toHaveLength(1);
      expect([await find(first), (await find(second))?.id]).toEqual([null, userId]);
    }));

  test("a new password ends sessions and links, and the owner gets no more links of a start", () =>
    withStore(async (db) => {
      const { id: userId } = await ownerOf(db);
      const link = (await createOwnerLink(db, NOW))!;
      const kept = await db.write((tx) => createSession(tx, sessionWish(userId)));
      const other = await db.write((tx) => createSession(tx, sessionWish(userId)));
      const replace = (hash: string) =>
        db.write((tx) => replacePassword(tx, { userId, hash, exceptSessionId: kept.session.id, nowMs: NOW }));
      for (const hash of ["first", "second"]) {
        await replace(hash);
        expect(await db.read((tx) => readPasswordHash(tx, userId))).toBe(hash);
      }
      expect(await db.read((tx) => findLoginLink(tx, link, NOW))).toBeNull();
      expect(await db.read((tx) => findSession(tx, kept.token, NOW))).not.toBeNull();
      expect(await db.read((tx) => findSession(tx, other.token, NOW))).toBeNull();
      expect(await createOwnerLink(db, NOW)).toBeNull();
    }));

  test("a user is found by its e-mail in any case", () =>
    withStore(async (db) => {
      const owner = await ownerOf(db);
      await db.write((tx) => updateUser(tx, { ...owner, email: "Ada@Example.com" }));
      const find = async (email: string) => (await db.read((tx) => findUserByEmail(tx, email)))?.id ?? null;
      expect([await find("Ada@Example.com"), await find("ada@EXAMPLE.com")]).toEqual([owner.id, owner.id]);
      expect([await find("ada@example.co_"), await find("%")]).toEqual([null, null]);
    }));
});
