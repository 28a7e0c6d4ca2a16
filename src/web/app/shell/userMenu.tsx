import { logOut, user } from "../session/session.ts";
import { setTheme, type Theme, theme } from "../session/theme.ts";
import type { IconName } from "../ui/icon.tsx";
import { Menu } from "../ui/menu.tsx";
import { told } from "../ui/task.ts";

const THEMES: readonly { theme: Theme; label: string; icon: IconName }[] = [
  { theme: "light", label: "Light", icon: "sun" },
  { theme: "dark", label: "Dark", icon: "moon" },
  { theme: "auto", label: "System", icon: "monitor" },
];

/** The user's own things. */
export function UserMenu({ onHelp }: { onHelp(): void }) {
  const { first_name = "", email = "" } = user.value ?? {};
  const leave = () => told(logOut);
  return (
    <Menu
      class="user-menu"
      icon="user"
      label="Account and theme"
      placement="top-start"
      items={[
        { label: "Account", icon: "user", href: "/account" },
        { label: "Keyboard shortcuts", icon: "keyboard", onSelect: onHelp },
        ...THEMES.map(({ theme: one, label, icon }, index) => ({
          label,
          icon,
          isChosen: theme.value === one,
          startsGroup: index === 0,
          onSelect: () => setTheme(one),
        })),
        { label: "Log out", icon: "logout", startsGroup: true, onSelect: leave },
      ]}
    >
      <span class="user-name" dir="auto">
        {first_name || String(email)}
      </span>
      <span class="unseen">: account and theme</span>
    </Menu>
  );
}
