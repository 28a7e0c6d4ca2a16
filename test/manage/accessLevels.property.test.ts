import { expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { environmentLevel, ObjectLevels } from "../../src/manage/serve/levels.ts";
import {
  addToRole,
  createRole,
  isVisible,
  type ObjectLevel,
  objectAccessOf,
  setAccess,
} from "../../src/metadata/mod.ts";
import type { Db } from "../../src/store/mod.ts";
import { CASES_MS, runs } from "../support/randomCases.ts";
import { useStores } from "../support/stores.ts";
import { levelOf, type Row, type World } from "./naive/access.ts";

setDefaultTimeout(CASES_MS);

const LEVELS = ["none", "viewer", "editor", "manager"] as const;
const USERS = [1, 2, 3];
const ROLES = [0, 1, 2];
const OBJECTS = [1, 2, 3, 4];

const row: fc.Arbitrary<Row> = fc.record({
  on: fc.oneof(fc.constant("all" as const), fc.constantFrom(...OBJECTS)),
  for: fc.oneof(
    fc.constant("all" as const),
    fc.record({ user: fc.constantFrom(...USERS) }),
    fc.record({ role: fc.constantFrom(...ROLES) }),
  ),
  level: fc.constantFrom(...LEVELS),
});

const world = fc
  .record({
    // One row for each subject of each thing.
    rows: fc.uniqueArray(row, { maxLength: 14, selector: (one) => JSON.stringify([one.on, one.for]) }),
    makers: fc.array(fc.constantFrom(0, ...USERS), { minLength: OBJECTS.length, maxLength: OBJECTS.length }),
    roles: fc.array(fc.subarray(ROLES), { minLength: USERS.length, maxLength: USERS.length }),
    admins: fc.subarray(USERS, { maxLength: 1 }),
  })
  .map(
    ({ rows, makers, roles, admins }): World => ({
      rows,
      makers: new Map(OBJECTS.map((id, i) => [id, makers[i]!])),
      roles: new Map(USERS.map((id, i) => [id, roles[i]!])),
      admins: new Set(admins),
    }),
  );

/** Writes a world into an environment of its own. Objects are stood for by cohorts. */
async function store(db: Db, teamId: number, { rows, makers, roles }: World) {
  return db.write(async (tx) => {
    await tx`delete from project_objects`;
    await tx`delete from role_memberships`;
    await tx`delete from roles`;
    const ids: string[] = [];
    for (const role of ROLES) {
      const made = await createRole(tx, { organizationId: "o", name: `role ${role}`, userId: 1, nowMs: 0 });
      ids.push(made!.id);
    }
    for (const [userId, held] of roles) {
      for (const role of held) await addToRole(tx, { roleId: ids[role]!, userId, nowMs: 0 });
    }
    for (const id of OBJECTS) {
      const text = { kind: "cohort", description: "", content: "{}", search_text: "" };
      const times = { deleted: 0, created_at_ms: 0, updated_at_ms: 0 };
      const object = { id, team_id: teamId, ...text, ...times, created_by: makers.get(id) || null };
      await tx`insert into project_objects ${tx(object)}`;
    }
    for (const { on, for: whom, level } of rows) {
      await setAccess(tx, {
        teamId,
        resource: "cohort",
        resourceId: on === "all" ? null : on,
        userId: whom !== "all" && "user" in whom ? whom.user : null,
        roleId: whom !== "all" && "role" in whom ? ids[whom.role]! : null,
        level: level as ObjectLevel,
        setBy: 1,
        createdAtMs: 0,
        updatedAtMs: 0,
      });
    }
  });
}

for (const { name, withStore } of useStores()) {
  test(`levels of random members, roles and objects agree with plain rules, and so do lists (${name})`, async () => {
    await withStore(async (db) => {
      let teamId = 0;
      const agrees = async (given: World) => {
        await store(db, ++teamId, given);
        for (const userId of USERS) {
          const isAdmin = given.admins.has(userId);
          const levels = await db.read(async (tx) => new ObjectLevels(await objectAccessOf(tx, { teamId, userId })));
          const level = (id: number) => levels.of("cohort", id, { isAdmin, isMaker: given.makers.get(id) === userId });
          expect(OBJECTS.map(level)).toEqual(OBJECTS.map((id) => levelOf(given, userId, id) as ObjectLevel));
          // Nothing was ever said of an object that is made next.
          expect(levels.ofKind("cohort", isAdmin)).toBe(levelOf(given, userId, 99) as ObjectLevel);
          const visible = isAdmin ? null : levels.visible("cohort", userId);
          const listed: { id: number }[] = await db.read(
            (tx) =>
              tx`select id from project_objects where team_id = ${teamId} and ${isVisible(tx, visible)} order by id`,
          );
          expect(listed.map(({ id }) => Number(id))).toEqual(
            OBJECTS.filter((id) => levelOf(given, userId, id) !== "none"),
          );
        }
      };
      await fc.assert(fc.asyncProperty(world, agrees), { numRuns: runs(150) });
    });
  });
}

test("the level in an environment", () => {
  const set = (forAll: "none" | "member" | "admin" | null, ...named: ("none" | "member" | "admin")[]) => ({
    forAll,
    named,
  });
  expect(environmentLevel(false)).toBe("member");
  expect(environmentLevel(true, set("none", "none"))).toBe("admin");
  expect(environmentLevel(false, set("none"))).toBe("none");
  expect(environmentLevel(false, set("none", "member"))).toBe("member");
  expect(environmentLevel(false, set("admin", "none"))).toBe("none");
  expect(environmentLevel(false, set(null, "none", "admin", "member"))).toBe("admin");
});
