import { describe, expect, test } from "bun:test";
import { csvReply, csvText, toCsv } from "../../src/manage/http/csv.ts";

const textOf = async (body: unknown) => (await toCsv(Response.json(body))).text();

describe("CSV", () => {
  test("quotes what would break a row", () => {
    const rows = [["a,b", 'say "hi"', "two\nlines", null, true, false, 1.5, -0.25, "", "x"]];
    expect(csvText(["p", "q", "r", "s", "t", "u", "v", "w", "y", "z"], rows)).toBe(
      'p,q,r,s,t,u,v,w,y,z\r\n"a,b","say ""hi""","two\nlines",,True,False,1.5,-0.25,,x\r\n',
    );
  });

  test("takes from texts that a spreadsheet would run what makes it run them, and leaves numbers as they are", () => {
    const cells = (row: (string | number)[]) => csvText([], [row]).split("\r\n")[1];
    expect(cells(["=1+1", "+a", "-a", "@a", "\ta", "＝1"])).toBe("'=1+1,'+a,'-a,'@a,'\ta,'＝1");
    expect(csvText(["=cmd()"], [["\ra"], ['=HYPERLINK("http://a,b")']])).toBe(
      `'=cmd()\r\n"'\ra"\r\n"'=HYPERLINK(""http://a,b"")"\r\n`,
    );
    expect(cells([-5, "-5", "+4.5", "-1e-7", ".5", "a=1", "'=1", "-5+2", "1-"])).toBe(
      "-5,-5,+4.5,-1e-7,.5,a=1,'=1,'-5+2,1-",
    );
  });

  test("does so in every member of every answer", async () => {
    const event = { event: "=cmd", properties: { "=key": "@sum", n: -5, list: ["+a"] }, "=odd": 1 };
    expect(await textOf({ results: [event] })).toBe(
      "'=odd,event,properties.=key,properties.list.0,properties.n\r\n1,'=cmd,'@sum,'+a,-5\r\n",
    );
  });

  test("a name of any letters is given to the browser", () => {
    const named = (fileName: string) => csvReply("", { fileName }).headers.get("content-disposition");
    expect(named("a (b).csv")).toBe('attachment; filename="a (b).csv"');
    expect(named("日本 é (x).csv")).toBe(
      "attachment; filename=\"__ _ (x).csv\"; filename*=UTF-8''%E6%97%A5%E6%9C%AC%20%C3%A9%20%28x%29.csv",
    );
    expect(named("a\ud800.csv")).toContain("filename*=UTF-8''a%EF%BF%BD.csv");
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
