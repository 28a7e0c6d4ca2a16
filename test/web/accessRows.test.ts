import { describe, expect, test } from "bun:test";
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
