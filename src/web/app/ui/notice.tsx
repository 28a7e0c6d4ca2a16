import type { ComponentChildren } from "preact";
import { ApiError } from "../api/client.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

interface EmptyProps {
  title: string;
  /** It stands for a whole page. */
  isPage?: boolean;
  children?: ComponentChildren;
}

/** What a place shows that has nothing to show. */
export function Empty({ title, isPage = false, children }: EmptyProps) {
  const Title = isPage ? "h1" : "p";
  return (
    <div class="empty">
      <Title class="empty-title">{title}</Title>
      {children}
    </div>
  );
}

interface ProblemProps {
  error: unknown;
  /** Says what is missing: "The dashboards cannot be loaded." */
  missing?: string;
  onRetry?(): void;
}

/** What went wrong, in words that can be read and copied, and a way to try again. */
export function Problem({ error, missing, onRetry }: ProblemProps) {
  return (
    <div class="problem" role="alert">
      <Icon name="warning" />
      <p>
        {missing} {messageOf(error)}
      </p>
      {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

/** An error in words. What the browser says of a defect is for its console. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiError) return error.detail;
  if (!(error instanceof Error)) return String(error);
  if (error.constructor === Error) return error.message;
  console.error(error);
  return "This page has a defect, or something else answered in Weir's place. Is a proxy between?";
}

/** A place where something will be soon. */
export function Skeleton({ heightPx }: { heightPx: number }) {
  return <div class="skeleton" style={{ height: `${heightPx}px` }} aria-hidden="true" />;
}
