import { Icon } from './icons.tsx'
import { chooseTheme, type Theme, themes, useTheme } from './theme.ts'

const names = { system: 'System', light: 'Light', dark: 'Dark' } as const

export function ThemeSwitch() {
  const theme = useTheme()
  return (
    <label className="theme">
      <Icon name={theme} />
      <span className="hidden">Theme</span>
      <select value={theme} onChange={(event) => chooseTheme(event.target.value as Theme)}>
        {themes.map((each) => (
          <option key={each} value={each}>
            {names[each]}
          </option>
        ))}
      </select>
    </label>
  )
}
