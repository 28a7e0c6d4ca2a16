import { startAlerts } from "../alerts/mod.ts";
import type { Config } from "../config.ts";
import { alertAnswering, type Queries } from "../manage/mod.ts";
import type { Db } from "../store/mod.ts";
import { exportsOf } from "./exportsOf.ts";
import { pagesUrl } from "./urls.ts";

/** Starts what checks alerts, sends subscriptions and delivers their messages; gives its end. */
export function startAlertsOf(
  config: Config,
  db: Db,
  { calculator }: Pick<Queries, "calculator">,
  log: (line: string) => void,
): () => Promise<void> {
  const { secrets, env } = exportsOf(config);
  return startAlerts({
    db,
    answering: alertAnswering({ db, calculator, baseUrl: () => pagesUrl(config), log }),
    secrets,
    allowPrivate: env.allowPrivate,
    mail: { smtpUrl: config.smtpUrl, from: config.mailFrom },
    now: () => Date.now(),
    log,
  });
}
