### Что говорят подсказки, по-русски. В en.ftl те же сообщения.

## Что делать и что за это говорит

discard-lowers-deadwood = Сбросьте { $card }: останется { points }.
discard-keeps-chances = Сбросьте { $card }: останется { points }, зато больше карт смогут улучшить руку.
discard-safe-discard = Сбросьте { $card }: сопернику она полезна меньше других, а у вас останется { points }.
discard-wait-for-gin = Сбросьте { $card } и ждите джина: останется { points }.
discard-only-action = Сбросьте { $card }: ничего другого сделать нельзя.
draw-discard-completes-meld = Возьмите { $card }: карта входит в комбинацию, и останется { points } вместо { $before }.
draw-discard-lowers-deadwood = Возьмите { $card }: останется { points } вместо { $before }.
draw-discard-keeps-chances = Возьмите { $card }: останется { points }, зато больше карт смогут улучшить руку.
draw-discard-nothing-gained = Возьмите { $card }: руку это не улучшит, останется { points }.
draw-discard-knock-now = Возьмите { $card } и стучите: останется { points } при пределе для стука { $limit }.
draw-discard-undercut-risk = Можно взять { $card } и стучать: останется { points }, но соперник может сделать подрез.
draw-discard-gin = Возьмите { $card }: это джин.
draw-discard-only-action = Возьмите { $card }: ничего другого сделать нельзя.
draw-stock-keeps-chances = Возьмите карту из колоды.
draw-stock-nothing-gained = Возьмите карту из колоды: { $card } вам ничего не даёт.
draw-stock-only-action = Возьмите карту из колоды: ничего другого сделать нельзя.
pass-keeps-chances = Спасуйте, оставив { $card }.
pass-nothing-gained = Спасуйте: { $card } вам ничего не даёт.
pass-only-action = Спасуйте: ничего другого сделать нельзя.
knock-knock-now = Стучите, сбросив { $card }: останется { points } при пределе для стука { $limit }.
knock-undercut-risk = Можно стучать, сбросив { $card }: останется { points }, но соперник может сделать подрез.
knock-gin = Джин! Сбросьте { $card }: все десять карт в комбинациях.
big-gin-gin = Объявите большой джин: все одиннадцать карт в комбинациях.
lay-off-lays-off = Подложите всё, что выгодно: останется { points }.

## Что ещё стоит знать

improving = { $improving ->
    [one] Улучшить комбинации может { $improving } неизвестная карта.
    [few] Улучшить комбинации могут { $improving } неизвестные карты.
   *[many] Улучшить комбинации могут { $improving } неизвестных карт.
}
no-improving = Ни одна неизвестная карта комбинаций не улучшит.
danger = { $danger ->
    [one] Соперник может собирать с ней { $danger } комбинацию.
    [few] Соперник может собирать с ней { $danger } комбинации.
   *[many] Соперник может собирать с ней { $danger } комбинаций.
}
undercut = Подрезом кончаются { $undercut } % таких стуков.

## Числа

points = { $points ->
    [one] { $points } мёртвое очко
    [few] { $points } мёртвых очка
   *[many] { $points } мёртвых очков
}
