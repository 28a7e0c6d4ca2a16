import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Question } from "./support/question.ts";
import { Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

/** Each would set a flag, open a dialog or ask another host, if anything of it were more than text. */
const MARK = "<b>Mark</b>";
const PAYLOADS = {
  script: `<script>globalThis.isHurt=1</script>${MARK}`,
  image: `<img src=x onerror="globalThis.isHurt=1">${MARK}`,
  svg: `"><svg onload=globalThis.isHurt=1><style>*{display:none}</style>${MARK}`,
  link: "javascript:globalThis.isHurt=1",
  frame: `<iframe srcdoc="<script>parent.isHurt=1</script>" src="https://evil.example/">${MARK}`,
  template: `{{constructor.constructor('globalThis.isHurt=1')()}}\${globalThis.isHurt=1}${MARK}`,
  bidi: "\u202Etxt.exe\u202C \u2066left\u2069 \u200F\u061C right",
  unseen: "\u200B\u200D\uFEFF\u0000\u0007",
  prototype: "__proto__",
  tall: Array.from({ length: 25 }, (_, line) => `line ${line} of a name`).join("\n"),
  zalgo: `Z${"\u0321\u0322\u0327\u0328".repeat(60)}`,
  wide: "W".repeat(2_000),
} as const;
const ALL = Object.values(PAYLOADS);
const HUGE_BYTES = 1_000_000;
const HUGE = "<i>x</i>".repeat(HUGE_BYTES / 8);
/** Event names and ids have a most length. */
const MAX_NAME = 200;

let stage: Stage;
const short = (text: string) => text.slice(0, MAX_NAME);

/** Events whose every part is hostile, over some days, so that each chart has something to draw. */
function events(): object[] {
  return ALL.flatMap((text, index) =>
    [1, 2, 3].map((day) => ({
      event: short(text),
      distinct_id: short(`${index} ${text}`),
      timestamp: new Date(Date.now() - day * 86_400_000).toISOString(),
      properties: {
        [short(text)]: text,
        hostile: text,
        $current_url: text,
        $pathname: text,
        $geoip_country_code: text,
        $session_id: `s${index}`,
        $groups: { company: short(text) },
        $set: { name: text, email: text, [short(text)]: text, site: PAYLOADS.link, good: "https://example.com/a?b" },
      },
    })),
  );
}

interface Made {
  insights: string[];
  board: string;
  shared: string;
}
let made: Made;

async function post<T>(path: string, body: object, method = "POST"): Promise<T> {
  const { status, json } = await stage.weir.manage(method, `/api/environments/1/${path}`, body);
  if (status >= 300) throw new Error(`${path}: ${status} ${JSON.stringify(json).slice(0, 500)}`);
  return json as T;
}

const series = (name: string, more = {}) => ({
  kind: "EventsNode",
  event: name,
  name,
  custom_name: short(name),
  ...more,
});

async function fill(): Promise<Made> {
  const { weir } = stage;
  const identify = ALL.map((text) => ({
    event: "$groupidentify",
    distinct_id: "someone",
    properties: { $group_type: "company", $group_key: short(text), $group_set: { name: text } },
  }));
  const huge = { event: "huge", distinct_id: "huge", properties: { huge: HUGE, $set: { name: HUGE, bio: HUGE } } };
  for (const batch of [events(), identify, [huge]]) {
    const response = await weir.batch(batch);
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
  }
  await weir.waitStored();
  const names = ALL.slice(0, 6).map(short);
  const dateRange = { date_from: "-7d" };
  const breakdownFilter = { breakdowns: [{ type: "event", property: "hostile" }] };
  const sources: object[] = [
    { kind: "TrendsQuery", series: names.map((name) => series(name)), dateRange },
    ...["ActionsPie", "ActionsBarValue", "ActionsTable", "WorldMap"].map((display) => ({
      kind: "TrendsQuery",
      series: [{ kind: "EventsNode", event: null }],
      dateRange,
      trendsFilter: { display },
      breakdownFilter:
        display === "WorldMap" ? { breakdowns: [{ type: "event", property: "$geoip_country_code" }] } : breakdownFilter,
    })),
    { kind: "FunnelsQuery", series: [series(names[0]!), series(names[0]!)], dateRange, breakdownFilter },
    {
      kind: "RetentionQuery",
      dateRange,
      retentionFilter: {
        period: "Day",
        totalIntervals: 5,
        targetEntity: { id: names[1], type: "events", name: names[1] },
        returningEntity: { id: names[1], type: "events", name: names[1] },
      },
    },
    { kind: "PathsQuery", dateRange, pathsFilter: { includeEventTypes: ["$pageview", "custom_event"] } },
    { kind: "StickinessQuery", series: names.map((name) => series(name)), dateRange },
    { kind: "LifecycleQuery", series: [series(names[2]!)], dateRange },
  ];
  const board = await post<{ id: number }>("dashboards/", {
    name: PAYLOADS.image,
    description: PAYLOADS.tall,
    tags: [PAYLOADS.svg.slice(0, 200)],
  });
  const insights: string[] = [];
  for (const [index, source] of sources.entries()) {
    // The API takes no null characters into its records; events may have them.
    const name = ALL[index % ALL.length]!.slice(0, 400).replaceAll("\0", "");
    const query = { kind: "InsightVizNode", source };
    const body = { name, description: name, tags: [short(PAYLOADS.script)], query, dashboards: [board.id] };
    insights.push((await post<{ short_id: string }>("insights/", body)).short_id);
  }
  const texts = [
    `# ${PAYLOADS.image}\n\n[a](${PAYLOADS.link}) [b](JaVaScRiPt:alert(1)) [c](data:text/html,x) ![i](${PAYLOADS.link})`,
    PAYLOADS.tall,
    PAYLOADS.wide,
  ];
  await post(`dashboards/${board.id}/`, { tiles: texts.map((body) => ({ text: { body } })) }, "PATCH");
  const { access_token } = await post<{ access_token: string }>(
    `dashboards/${board.id}/sharing/`,
    { enabled: true },
    "PATCH",
  );
  return { insights, board: `/project/1/dashboard/${board.id}`, shared: `/shared/${access_token}` };
}

beforeAll(async () => {
  stage = await Stage.open();
  await stage.logIn();
  made = await fill();
});
afterAll(() => stage[Symbol.asyncDispose]());

/** Nothing ran, nothing was asked elsewhere, nothing leads elsewhere, and the page can be used. */
async function expectUnhurt(visitor: Visitor): Promise<void> {
  await expectNothingRan(visitor);
  await visitor.expectFine();
}

async function expectNothingRan({ page, complaints }: Visitor): Promise<void> {
  expect(await page.evaluate(HARM)).toEqual([]);
  expect(complaints).toEqual([]);
}

/** Runs in the page: elements that only a payload can have made, and links that lead into scripts. */
const HARM = `[
  ...("isHurt" in globalThis ? ["something ran"] : []),
  ...Array.from(document.querySelectorAll("script:not([src^='/assets/']), iframe, object, embed, style, b, i, [onerror], [onload]"))
    .filter((element) => element.tagName !== "STYLE" || element.textContent.includes("display:none"))
    .map((element) => element.outerHTML.slice(0, 200)),
  ...Array.from(document.querySelectorAll("a[href], area[href], form[action]"))
    .filter((link) => !/^https?:$/.test(new URL(link.href || link.action, location.href).protocol))
    .map((link) => link.outerHTML.slice(0, 200)),
]`;

const WIDE = { width: 1440, scheme: "light" } as const;
const NARROW = { width: 360, scheme: "dark" } as const;

async function settle({ page }: Visitor): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.waitForLoadState("networkidle");
}

describe("what strangers sent is text", () => {
  test.each([WIDE, NARROW])("in lists, at $width px", async (looks) => {
    const visitor = await stage.enter(looks);
    const data = ["data-management/events", "data-management/properties", "activity-logs"];
    for (const place of ["home", "insights", "dashboard", "persons", "groups/0", ...data, "settings"]) {
      await visitor.open(`/project/1/${place}`);
      await settle(visitor);
      await expectUnhurt(visitor);
    }
    await visitor.leave();
  });

  test.each([WIDE, NARROW])("on a dashboard and where it is shared, at $width px", async (looks) => {
    const window = await stage.newContext();
    for (const [place, context] of [
      [made.board, stage.context],
      [made.shared, window],
    ] as const) {
      const visitor = await stage.enter(looks, context);
      await visitor.open(place);
      await settle(visitor);
      for (const tile of await visitor.page.getByRole("article").all()) await tile.scrollIntoViewIfNeeded();
      await settle(visitor);
      await visitor.sees(visitor.page.getByRole("heading", { name: PAYLOADS.image }));
      expect(await visitor.page.title()).toContain("<img src=x");
      await expectUnhurt(visitor);
      await visitor.leave();
    }
    await window.close();
  });

  test.each([WIDE, NARROW])("in every chart and form, at $width px", async (looks) => {
    const visitor = await stage.enter(looks);
    const question = new Question(visitor);
    for (const shortId of made.insights) {
      await visitor.open(`/project/1/insights/${shortId}/edit`);
      await question.drawn();
      const chart = (await question.answer.locator(".insight-canvas").boundingBox())!;
      await visitor.page.mouse.move(chart.x + chart.width / 3, chart.y + chart.height / 2);
      await visitor.page.mouse.move(chart.x + chart.width / 2, chart.y + chart.height / 2);
      await (looks === NARROW ? expectUnhurt(visitor) : expectNothingRan(visitor));
    }
    await visitor.leave();
  });

  test("in pickers, of events, properties and values", async () => {
    const visitor = await stage.enter(WIDE);
    const { page } = visitor;
    const question = new Question(visitor);
    await visitor.open("/project/1/insights/new");
    await question.drawn();
    await question.form.locator(".one-picker button").first().click();
    const typed = page.locator(".search-list input[role=combobox]");
    await typed.fill("mark");
    await visitor.sees(page.locator(".listbox-option").getByText("<img src=x"));
    await expectUnhurt(visitor);
    await typed.press("Enter");
    await question.drawn();
    await question.form.getByRole("button", { name: "Filter", exact: true }).first().click();
    await typed.fill("hostile");
    await page.locator(".listbox-option").first().waitFor();
    await typed.press("Enter");
    const values = page.getByRole("dialog", { name: "Filter" }).getByRole("combobox").last();
    await values.click();
    await visitor.sees(page.locator(".listbox-option").getByText("Mark</b>"));
    await expectUnhurt(visitor);
    await visitor.leave();
  });

  test.each([WIDE, NARROW])("on the pages of persons, groups and events, at $width px", async (looks) => {
    const visitor = await stage.enter(looks);
    const { page } = visitor;
    const person = `/project/1/person/${encodeURIComponent(short(`1 ${PAYLOADS.image}`))}`;
    const group = `/project/1/groups/0/${encodeURIComponent(short(PAYLOADS.svg))}`;
    const parts = [
      ...["", "#properties", "#ids", "#groups"].map((part) => person + part),
      "/project/1/person/huge#properties",
    ];
    for (const place of [...parts, group, `${group}#properties`, `${group}#related`]) {
      await visitor.open(place);
      await page.reload();
      await settle(visitor);
      await expectUnhurt(visitor);
    }
    await visitor.open(person);
    await page.locator(".timeline-event").first().click();
    await page.getByRole("dialog").getByRole("table").waitFor();
    await expectUnhurt(visitor);
    await visitor.leave();
  });

  test("in lists of people, and in what is known of them", async () => {
    const visitor = await stage.enter(WIDE);
    const { page } = visitor;
    const question = new Question(visitor);
    const node = {
      kind: "TrendsQuery",
      series: [{ kind: "EventsNode", event: null }],
      trendsFilter: { display: "BoldNumber" },
      dateRange: { date_from: "-7d" },
    };
    await visitor.open(
      `/project/1/insights/new#q=${encodeURIComponent(JSON.stringify({ kind: "InsightVizNode", source: node }))}`,
    );
    const number = await question.drawn("button");
    await number.getByRole("button").first().click();
    await question.people();
    for (const person of (await page.locator(".person-head").all()).slice(0, ALL.length + 2)) await person.click();
    await visitor.sees(page.getByRole("link", { name: "https://example.com/a?b" }).first());
    expect(await page.getByRole("link", { name: "javascript:" }).count()).toBe(0);
    await expectUnhurt(visitor);
    // A megabyte of a stranger's name stands in the page once at most, and is cut.
    expect(await page.evaluate<number>("document.querySelector('dialog').getBoundingClientRect().width")).toBeLessThan(
      1_440,
    );
    await visitor.leave();
  });

  test("in the address", async () => {
    const visitor = await stage.enter(WIDE);
    visitor.expects(/status of 400 /);
    for (const fragment of [
      "#q=%3Cscript%3E",
      `#q=${encodeURIComponent(JSON.stringify({ kind: PAYLOADS.image }))}`,
      `#q=${encodeURIComponent(JSON.stringify({ kind: "TrendsQuery", series: PAYLOADS.image }))}`,
      `#q=${encodeURIComponent(JSON.stringify({ kind: "TrendsQuery", series: [{ kind: "EventsNode", event: { a: 1 } }] }))}`,
      '#q={"kind":"__proto__"}',
    ]) {
      await visitor.open("/account");
      await visitor.open(`/project/1/insights/new${fragment}`);
      await visitor.page.locator("main").waitFor();
      await visitor.page.waitForLoadState("networkidle");
      await expectUnhurt(visitor);
    }
    await visitor.leave();
  });
});

describe("5,000 names of events", () => {
  const nameOf = (index: number) => `checkout_Step_${String(index).padStart(4, "0")}`;

  test("are each found by typing", async () => {
    const all = Array.from({ length: 5_000 }, (_, index) => ({ event: nameOf(index), distinct_id: `p${index % 7}` }));
    for (let at = 0; at < all.length; at += 1_000) {
      expect((await stage.weir.batch(all.slice(at, at + 1_000))).status).toBe(200);
    }
    await stage.weir.waitStored();
    const visitor = await stage.enter(WIDE);
    const { page } = visitor;
    const question = new Question(visitor);
    await visitor.open("/project/1/insights/new");
    await question.drawn();
    await question.form.getByRole("group", { name: "Series" }).locator(".one-picker button").first().click();
    const typed = page.locator(".search-list input[role=combobox]");
    // In words, in any order and case, as what is loaded is found.
    for (const [text, index] of [
      ["checkout_Step_4821", 4_821],
      ["step 2999", 2_999],
      ["3000 checkout", 3_000],
      ["STEP_4999", 4_999],
      ["out 0007", 7],
    ] as const) {
      await typed.fill(text);
      await visitor.sees(page.getByRole("option").getByText(nameOf(index), { exact: true }));
    }
    await visitor.expectFine();
    await typed.fill("step 4821");
    await visitor.sees(page.getByRole("option").getByText(nameOf(4_821), { exact: true }));
    await typed.press("Enter");
    await question.drawn("canvas");
    await visitor.sees(question.form.getByText(nameOf(4_821)));
    await visitor.leave();
  });
});
