import type { Browser, BrowserContext } from "playwright-core";
import { openWindow } from "../../support/chromium.ts";
import { startWeir, type Weir, type WeirOptions } from "../../support/weir.ts";
import { type Looks, Visitor } from "./visitor.ts";

export const PASSWORD = "correct horse battery";
export const EMAIL = "ada@example.com";

/** A Weir, and windows of a browser, for the tests of a file. */
export class Stage implements AsyncDisposable {
  private constructor(
    readonly weir: Weir,
    private readonly window: BrowserContext & AsyncDisposable,
  ) {}

  /** Starts both; when one does not start, the other is ended. */
  static async open(options?: WeirOptions): Promise<Stage> {
    const starts = [startWeir(options), openWindow()] as const;
    try {
      return new Stage(...(await Promise.all(starts)));
    } catch (error) {
      for (const start of await Promise.allSettled(starts))
        if (start.status === "fulfilled") await start.value[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The first window, in which somebody may log in. */
  get context(): BrowserContext {
    return this.window;
  }

  /** A window that shares no cookie and no storage with others. */
  newContext(options?: Parameters<Browser["newContext"]>[0]): Promise<BrowserContext> {
    return this.window.browser()!.newContext(options);
  }

  /** The path of the link that the start printed. */
  get setupPath(): string {
    const [, path] = /https?:\/\/[^/\s]+(\/setup\/[\w-]{43})/.exec(this.weir.output) ?? [];
    if (path === undefined) throw new Error(`no setup link was printed:\n${this.weir.output}`);
    return path;
  }

  /** Gives a window the cookies of a session: with the setup link the first time, later with the password. */
  async logIn(context: BrowserContext = this.context): Promise<void> {
    const me = await this.weir.manage("GET", "/api/users/@me/");
    const { has_password } = me.json as { has_password: boolean };
    const [path, data] = has_password
      ? ["/api/login/", { email: EMAIL, password: PASSWORD }]
      : [`/api${this.setupPath}/`, { email: EMAIL, first_name: "Ada", password: PASSWORD }];
    const reply = await context.request.post(this.weir.url + path, { data });
    if (!reply.ok()) throw new Error(`${path}: ${reply.status()} ${await reply.text()}`);
  }

  /** A window of a new member, who has come by an invitation. */
  async join(name: string, level: 1 | 8 | 15 = 1): Promise<BrowserContext> {
    const invite = { target_email: `${name.toLowerCase()}@example.com`, level };
    const { json } = await this.weir.manage("POST", "/api/organizations/@current/invites/", invite);
    const token = new URL((json as { url: string }).url).pathname.split("/").at(-1);
    const window = await this.newContext();
    const data = { first_name: name, password: PASSWORD };
    const reply = await window.request.post(`${this.weir.url}/api/signup/${token}/`, { data });
    if (!reply.ok()) throw new Error(`signup: ${reply.status()} ${await reply.text()}`);
    return window;
  }

  /** Somebody in front of a window; of the one in which one is logged in, where none is named. */
  enter(looks: Looks, context: BrowserContext = this.context): Promise<Visitor> {
    return Visitor.enter(context, this.weir.url, looks);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.window[Symbol.asyncDispose]();
    await this.weir[Symbol.asyncDispose]();
  }
}
