import { describe, expect, test } from "bun:test";
import { csvText, toCsv } from "../../src/manage/http/csv.ts";

const textOf = async (body: unknown) => (await toCsv(Response.json(body))).text();

describe("CSV", () => {
  test("quotes what would break a row", () => {
    const rows = [["a,b", 'say "hi"', "two\nlines", null, true, false, 1.5, -0.25, "", "x"]];
    expect(csvText(["p", "q", "r", "s", "t", "u", "v", "w", "y", "z"], rows)).toBe(
      'p,q,r,s,t,u,v,w,y,z\r\n"a,b","say ""hi""","two\nlines",,True,False,1.5,-0.25,,x\r\n',
    );
  });

  test("one row an entry of a list, members by their path, columns in alphabetical order", async () => {
    const results = [
      { id: 1, by: { email: "a@b" }, tags: ["x", "y"] },
      { id: 2, by: null, more: {} },
    ];
    expect(await textOf({ count: 2, next: null, results })).toBe(
      "by,by.email,id,more,tags.0,tags.1\r\n,a@b,1,,x,y\r\n,,2,,,\r\n",
    );
  });

  test("one row for an object, a list as it is, an empty list without columns", async () => {
    expect(await textOf({ b: true, a: { c: 1 } })).toBe("a.c,b\r\n1,True\r\n");
    expect(await textOf([{ name: "x" }, { name: "y" }])).toBe("name\r\nx\r\ny\r\n");
    expect(await textOf(["x", 2])).toBe("value\r\nx\r\n2\r\n");
    expect(await textOf({ results: [] })).toBe("\r\n");
  });

  test("leaves errors and answers without a body as they are", async () => {
    const error = await toCsv(Response.json({ code: "not_found" }, { status: 404 }));
    expect([error.status, (await error.json()) as object]).toEqual([404, { code: "not_found" }]);
    const empty = await toCsv(new Response(null, { status: 204 }));
    expect([empty.status, await empty.text()]).toEqual([204, ""]);
  });
});
