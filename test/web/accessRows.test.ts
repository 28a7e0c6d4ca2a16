import { describe, expect, test } from "bun:test";
import { addable, choicesOf, gridRows } from "../../src/web/app/pages/access/grid.ts";
import { choiceOf, rowsOf, unnamed } from "../../src/web/app/pages/parts/access/rows.ts";

const member = (id: string, level: 1 | 8 | 15, firstName = "") => ({
  id,
  level,
  user: { first_name: firstName, email: `${id}@example.com` } as never,
});
const control = (
  access_level: "none" | "viewer" | "editor",
  organization_member: string | null,
  role: string | null,
) => ({
  access_level,
  organization_member,
  role,
});
const PEOPLE = {
  members: [member("ada", 15, "Ada"), member("bob", 1, "Bob"), member("eve", 1)],
  roles: [{ id: "r1", name: "Analysts" }],
};
const CONTROLS = [control("none", null, null), control("editor", "bob", null), control("viewer", "gone", null)];

describe("who may see or edit", () => {
  test("for all members is as the project says where nothing is set", () => {
    expect([choiceOf([]), choiceOf(CONTROLS), choiceOf(CONTROLS.slice(1))]).toEqual(["default", "none", "default"]);
  });

  test("lists those that have a level and are there, by name and e-mail", () => {
    expect(rowsOf(CONTROLS, PEOPLE).map(({ label, level, subject }) => [label, level, subject])).toEqual([
      ["Bob (bob@example.com)", "editor", { organization_member: "bob" }],
    ]);
    expect(rowsOf([control("viewer", null, "r1")], PEOPLE)).toMatchObject([
      { label: "Analysts (role)", level: "viewer", subject: { role: "r1" } },
    ]);
  });

  test("offers the others, and no admins, whom levels do not bind", () => {
    expect(unnamed(CONTROLS, PEOPLE).map(({ label }) => label)).toEqual(["Analysts (role)", "eve@example.com"]);
  });
});

describe("levels of a project and of kinds", () => {
  const of = (resource: string, control: (typeof CONTROLS)[number]) => ({ ...control, resource });
  const controls = [
    of("project", { ...control("none", null, null) }),
    of("insight", control("viewer", null, "r1")),
    of("dashboard", control("editor", "bob", null)),
    of("cohort", control("viewer", "gone", null)),
  ];
  const rows = gridRows(controls, PEOPLE, new Set(["member eve"]));

  test("have all members first, then those that are named or were added, and none that are gone", () => {
    expect(rows.map(({ label }) => label)).toEqual([
      "All members",
      "Analysts (role)",
      "Bob (bob@example.com)",
      "eve@example.com",
    ]);
    expect(rows.map(({ subject }) => subject)).toEqual([
      {},
      { role: "r1" },
      { organization_member: "bob" },
      { organization_member: "eve" },
    ]);
    const none = { project: "", insight: "", dashboard: "", cohort: "", action: "" };
    expect(rows.map(({ levels }) => levels)).toEqual([
      { ...none, project: "none" },
      { ...none, insight: "viewer" },
      { ...none, dashboard: "editor" },
      none,
    ]);
    expect(addable(rows.slice(0, 1), PEOPLE).map(({ value }) => value)).toEqual([
      "role r1",
      "member bob",
      "member eve",
    ]);
    expect(addable(rows, PEOPLE)).toEqual([]);
  });

  test("say of all members what counts where nothing is set", () => {
    const first = (thing: "project" | "insight", isForAll: boolean) => choicesOf(thing, isForAll)[0]!.label;
    expect([first("project", true), first("insight", true), first("insight", false)]).toEqual([
      "Open (default)",
      "Can edit (default)",
      "As all members",
    ]);
  });
});
