import { DAY_MS, type JsonObject } from "../../types/mod.ts";
import { Random } from "./random.ts";

/** What an SDK would have sent. */
export interface DemoEvent {
  event: string;
  distinct_id: string;
  timestamp: string;
  properties: JsonObject;
}

const HOST = "lantern.example";
/** The host where the makers of the product try it; the test-account filter leaves it out. */
export const STAGING_HOST = `staging.${HOST}`;

const MINUTE_MS = 60_000;

const DEVICES = [
  { $browser: "Chrome", $os: "Windows", $device_type: "Desktop", $screen_width: 1920, $screen_height: 1080 },
  { $browser: "Safari", $os: "Mac OS X", $device_type: "Desktop", $screen_width: 1440, $screen_height: 900 },
  { $browser: "Mobile Safari", $os: "iOS", $device_type: "Mobile", $screen_width: 390, $screen_height: 844 },
  { $browser: "Chrome", $os: "Android", $device_type: "Mobile", $screen_width: 412, $screen_height: 915 },
  { $browser: "Firefox", $os: "Linux", $device_type: "Desktop", $screen_width: 1680, $screen_height: 1050 },
];
const REFERRERS = ["$direct", "www.google.com", "news.ycombinator.com", "www.reddit.com", "duckduckgo.com"];
const COUNTRIES = ["US", "DE", "GB", "FR", "IN", "BR", "JP", "NL"];
const PUBLIC_PATHS = ["/", "/pricing", "/features", "/blog/linked-notes", "/blog/weekly-review", "/docs"];
const FIRST_NAMES = ["Ada", "Noor", "Jonas", "Mei", "Priya", "Lucas", "Sofia", "Kofi", "Elif", "Tomas", "Yuki", "Lena"];
const LAST_NAMES = ["Okafor", "Weber", "Silva", "Tanaka", "Novak", "Moreau", "Singh", "Jansen", "Costa", "Larsen"];
const INDUSTRIES = ["software", "design", "education", "consulting", "health", "logistics"];
const COMPANY_SIZE = 6;

/**
 * Some months of Lantern, a service for notes: people find the site, some sign up, write and share notes, stay or
 * leave, and a few of them pay. Every day has fewer visitors at the weekend, and there are more of them from month to
 * month. In the order of time, the newest before `nowMs`; the same for the same seed.
 */
export function tellStory(o: { seed: number; people: number; days: number; nowMs: number }): DemoEvent[] {
  const random = new Random(o.seed);
  const events: DemoEvent[] = [];
  for (let person = 0; person < o.people; person++) events.push(...lifeOf(person, o, random));
  return events.sort((a, b) => (a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : 0));
}

type Story = Parameters<typeof tellStory>[0];

/** Writes down what one person does; `at` is the time that has passed so far. */
class Diary {
  readonly events: DemoEvent[] = [];
  distinctId: string;
  groups: JsonObject | null = null;
  private session = 0;

  constructor(
    readonly anonymousId: string,
    private readonly host: string,
    private readonly device: JsonObject,
    private readonly nowMs: number,
    public atMs: number,
  ) {
    this.distinctId = anonymousId;
  }

  get isOver(): boolean {
    return this.atMs >= this.nowMs;
  }

  beginSession(atMs: number): void {
    this.atMs = atMs;
    this.session++;
  }

  add(event: string, properties: JsonObject, afterMs: number): void {
    this.atMs += afterMs;
    if (this.isOver) return;
    const common = {
      $lib: "web",
      $host: this.host,
      $session_id: `${this.anonymousId}-${this.session}`,
      ...this.device,
    };
    const groups: JsonObject = this.groups === null ? {} : { $groups: this.groups };
    this.events.push({
      event,
      distinct_id: this.distinctId,
      timestamp: new Date(this.atMs).toISOString(),
      properties: { ...common, ...groups, ...properties },
    });
  }

  view(path: string, afterMs: number, more: JsonObject = {}): void {
    this.add("$pageview", { $current_url: `https://${this.host}${path}`, $pathname: path, ...more }, afterMs);
  }
}

function lifeOf(person: number, o: Story, random: Random): DemoEvent[] {
  const device = { ...random.pick(DEVICES), $geoip_country_code: random.pick(COUNTRIES) };
  const firstMs = firstVisitMs(o, random);
  const host = random.chance(0.03) ? STAGING_HOST : HOST;
  const diary = new Diary(`visitor-${o.seed}-${person}`, host, device, o.nowMs, firstMs);
  const pause = () => random.whole(5, 180) * 1000;

  diary.beginSession(firstMs);
  const referrer = random.pick(REFERRERS);
  diary.view(random.pick(PUBLIC_PATHS), 0, { $referring_domain: referrer });
  while (random.chance(0.5)) diary.view(random.pick(PUBLIC_PATHS), pause());
  if (!random.chance(0.4)) return diary.events;
  diary.view("/signup", pause());
  if (!random.chance(0.7)) return diary.events;
  signUp(diary, person, referrer, random, pause);
  useProduct(diary, o, random, pause);
  return diary.events;
}

/** More people come from month to month, at daytime, and fewer at the weekend. */
function firstVisitMs(o: Story, random: Random): number {
  const day = Math.floor(Math.sqrt(random.next()) * o.days);
  const today = Math.floor(o.nowMs / DAY_MS) * DAY_MS;
  const startMs = today - (o.days - 1 - day) * DAY_MS;
  const isWeekend = [0, 6].includes(new Date(startMs).getUTCDay());
  const shiftedMs = isWeekend && random.chance(0.6) ? startMs - 2 * DAY_MS : startMs;
  return shiftedMs + random.whole(7 * 60, 21 * 60) * MINUTE_MS + random.whole(0, MINUTE_MS - 1);
}

function signUp(diary: Diary, person: number, referrer: string, random: Random, pause: () => number): void {
  const [first, last] = [random.pick(FIRST_NAMES), random.pick(LAST_NAMES)];
  const company = Math.floor(person / COMPANY_SIZE);
  const email = `${first}.${last}.${person}@company-${company}.example`.toLowerCase();
  diary.distinctId = `user-${diary.anonymousId}`;
  const $set = { email, name: `${first} ${last}`, plan: "free" };
  const $set_once = { initial_referrer: referrer, signed_up_at: new Date(diary.atMs).toISOString() };
  diary.add("$identify", { $anon_distinct_id: diary.anonymousId, $set, $set_once }, pause());
  diary.add("signed up", { method: random.pick(["email", "google", "github"]) }, 200);
  diary.groups = { company: `company-${company}` };
  diary.add(
    "$groupidentify",
    {
      $group_type: "company",
      $group_key: `company-${company}`,
      $group_set: {
        name: `Company ${company}`,
        industry: INDUSTRIES[company % INDUSTRIES.length]!,
        employees: 5 + company,
      },
    },
    300,
  );
}

/** Comes back day after day until it is not worth it any more. */
function useProduct(diary: Diary, o: Story, random: Random, pause: () => number): void {
  const interest = random.next();
  const leaving = 0.01 + 0.12 * (1 - interest);
  let isPaying = false;
  for (let dayMs = diary.atMs; dayMs < o.nowMs; dayMs += DAY_MS) {
    if (dayMs > diary.atMs && random.chance(leaving)) return;
    const isWeekend = [0, 6].includes(new Date(dayMs).getUTCDay());
    if (!random.chance(isWeekend ? 0.15 : 0.3 + 0.5 * interest)) continue;
    diary.beginSession(Math.max(diary.atMs, dayMs + random.whole(-120, 120) * MINUTE_MS));
    diary.view("/app", pause());
    for (let i = random.whole(0, Math.ceil(5 * interest)); i > 0; i--) {
      diary.add("note created", { words: random.whole(10, 900), has_image: random.chance(0.2) }, pause());
      if (random.chance(0.2)) diary.add("note shared", { with: random.pick(["link", "team", "email"]) }, pause());
    }
    if (!isPaying && random.chance(0.02 * interest)) {
      isPaying = true;
      diary.view("/app/upgrade", pause());
      const plan = random.pick(["plus", "team"]);
      diary.add("plan upgraded", { plan, amount: plan === "plus" ? 8 : 20, currency: "EUR", $set: { plan } }, pause());
    }
  }
}
