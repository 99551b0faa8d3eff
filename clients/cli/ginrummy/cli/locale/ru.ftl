### Всё, что говорит программа, по-русски. В en.ftl те же сообщения.

## Термины игры

term-match = матч
term-hand = раздача
term-dealer = сдающий
term-non-dealer = не сдававший
term-stock = колода
term-discard-pile = сброс
term-upcard = открытая карта
term-draw = взять
term-discard = сбросить
term-pass = спасовать
term-meld = комбинация
term-set = сет
term-run = последовательность
term-arrangement = раскладка
term-deadwood-cards = мёртвые карты
term-deadwood-points = мёртвые очки
term-knock = стук
term-knocker = стучавший
term-defender = соперник
term-knock-limit = предел для стука
term-gin = джин
term-big-gin = большой джин
term-layoff = подкладка
term-undercut = подрез
term-dead-hand = мёртвая раздача
term-box = бонус за раздачу
term-game-bonus = бонус за игру
term-shutout = всухую

## Люди и числа

you = Вы
open-seat = (место свободно)
unnamed-seat = место { $seat }
dealer = сдающий
away = нет на связи
points = { $points ->
    [one] { $points } очко
    [few] { $points } очка
   *[many] { $points } очков
}
cards = { $count ->
    [one] { $count } карта
    [few] { $count } карты
   *[many] { $count } карт
}

## Что произошло

event-seat-taken = { $who ->
    [you] Вы садитесь за стол
   *[other] { $name } садится за стол
}
event-hand-dealt = { $who ->
    [you] Раздача { $hand } · сдаёте вы · открытая карта { $upcard } · предел для стука { $limit }
   *[other] Раздача { $hand } · сдаёт { $name } · открытая карта { $upcard } · предел для стука { $limit }
}
points-doubled = Открыта пика: очки этой раздачи удваиваются
event-passed = { $who ->
    [you] Вы пасуете
   *[other] { $name } пасует
}
event-drew = { $who ->
    [you] { $pile ->
        [discard] Вы берёте { $card } из сброса
       *[stock] Вы берёте { $card } из колоды
    }
   *[other] { $pile ->
        [discard] { $name } берёт { $card } из сброса
       *[stock] { $name } берёт { $card } из колоды
    }
}
event-drew-unseen = { $who ->
    [you] { $pile ->
        [discard] Вы берёте из сброса
       *[stock] Вы берёте из колоды
    }
   *[other] { $pile ->
        [discard] { $name } берёт из сброса
       *[stock] { $name } берёт из колоды
    }
}
event-discarded = { $who ->
    [you] Вы сбрасываете { $card }
   *[other] { $name } сбрасывает { $card }
}
event-knock = { $who ->
    [you] Вы стучите, мёртвых очков: { $deadwood }
   *[other] { $name } стучит, мёртвых очков: { $deadwood }
}
event-gin = { $who ->
    [you] У вас джин
   *[other] У соперника джин ({ $name })
}
event-big-gin = { $who ->
    [you] У вас большой джин
   *[other] У соперника большой джин ({ $name })
}
knock-card-face-down = карта стука лежит рубашкой вверх
event-laid-off = { $count ->
    [0] { $who ->
        [you] Вы ничего не подкладываете
       *[other] { $name } ничего не подкладывает
    }
   *[other] { $who ->
        [you] Вы подкладываете { $cards }
       *[other] { $name } подкладывает { $cards }
    }
}
event-timed-out = { $who ->
    [you] Ваше время вышло
   *[other] { $name }: время вышло
}
event-clock-extended = { $who ->
    [you] Сервер был недоступен; у вас новое время
   *[other] Сервер был недоступен; у { $name } новое время
}
to-act = { $who ->
    [you] Ваш ход
   *[other] Ходит { $name }
}

## Результаты

outcome-knock = стук
outcome-undercut = подрез
outcome-gin = джин
outcome-big-gin = большой джин
outcome-dead = мёртвая раздача
outcome-tie = ничья
scored = { $who ->
    [you] Раздача { $hand }: { $outcome } · вам { $points }
   *[other] Раздача { $hand }: { $outcome } · { $name } получает { $points }
}
scored-dead = Раздача { $hand }: мёртвая раздача · колода кончилась, очков никому нет
scored-tie = Раздача { $hand }: ничья · очков никому нет
deadwood-is = мёртвые карты { $cards } = { $points }
no-deadwood = мёртвых карт нет
left-cards = остаются: { $cards }
laid-off-onto = { $card } к { $meld }
layoffs-were = подкладка: { $layoffs }
match-ended = { $who ->
    [you] Вы выиграли матч: { $because }
   *[other] Матч выигрывает { $name }: { $because }
}
match-ended-nobody = Матч окончен, победителя нет: { $because }
ended-target-reached = { $single ->
    [yes] решила одна раздача
   *[no] набраны нужные очки
}
ended-resigned = { $who ->
    [you] вы сдались
   *[other] соперник сдался
}
ended-clock-expired = { $who ->
    [you] у вас вышло время
   *[other] у соперника вышло время
}
ended-aborted = матч прерван
totals = Итог: { $winner } на { $loser }

## Счёт

sheet-title = Счёт
sheet-hand = { $hand }. { $outcome }
sheet-hand-points = очки за раздачи
sheet-boxes = выиграно раздач
sheet-box-bonus = бонус за раздачи
sheet-game-bonus = бонус за игру
sheet-shutout = всухую
sheet-total = итог
sheet-sum = Все столбцы: { $name } { $first }, { $other } { $second }

## Стол

heading = Джин рамми · { $ruleset } · раздача { $hand } · до { $target }
heading-single = Джин рамми · { $ruleset } · раздача { $hand } · одна раздача
knock-limit-is = { $limit ->
    [0] только джин
   *[other] предел для стука { $limit }
}
clock = { $who ->
    [you] ваше время { $time }
   *[other] время { $name } { $time }
}
known-cards = держит из сброса { $cards }
waiting-for = Ходит { $name }, ждём …
late = Ваше время вышло, за вас: { $done }.
late-only = Ваше время вышло.
late-drawn = взята { $card }
late-discarded = сброшена { $card }
late-passed = пас
late-laid-off = лучшая подкладка
points-doubled-short = ×2 (открыта пика)
upcard = открытая карта
pile-count = сброс { $count }
stock-count = колода { $count }
own-hand = { $name } · порядок: { $order }
own-cards = Ваши карты
order-melds = комбинации
order-suit = масти
order-rank = достоинства
counter = мёртвых очков { $points }
counter-best = мёртвых очков { $points }, после лучшего сброса { $left }
counter-chosen = мёртвых очков { $points }, без { $card } — { $left }
can-knock-mark = (можно стучать)
caption-new = новая
caption-barred = взята
label-set = сет
label-run = послед.
label-deadwood = мёртвые
hint-advice = Подсказка: { $text }
advice-are = Ожидаемые очки:
advice-stock = колода
advice-take = взять { $card }
advice-pass = пас
advice-discard = { $card }
advice-knock = стук { $card }
advice-big-gin = большой джин
advice-lay-off = подкладка
hint-discard = Подсказка: сбросить { $card }, останется { $left }
hint-knock = Подсказка: стучать, сбросив { $card }; останется { $left }
hint-gin = Подсказка: джин, сбросив { $card }
hint-big-gin = Подсказка: объявить большой джин
prices-are = Останется после сброса:
result-continue = Enter: дальше

## Свои группы

editing-knock = Ваша раскладка для стука, сброс { $card }
editing-big-gin = Ваша раскладка для большого джина
editing-lay-off = Ваши комбинации и подкладка

## Кнопки и клавиши

button-stock = взять из колоды
button-take = взять { $card }
button-pass = спасовать
button-auto-layoff = лучшие комбинации и подкладка
button-own-layoff = разложить самому
key-yes = да
key-no = нет
key-move = переход
key-place = в группу
key-reset = как предложено
key-send-knock = стучать так
key-send-big-gin = объявить так
key-send-lay-off = отправить
key-back = назад
key-choose = выбрать карту
key-discard = сбросить { $card }
key-unchoose = вернуть
key-knock = стук, останется { $left } (сброс { $card })
key-gin = джин (сброс { $card })
key-big-gin = большой джин
key-own-groups = стук со своей раскладкой
key-hint = подсказка
key-order = порядок
key-help = помощь
key-resign = сдаться
key-quit = выйти

## Вопросы и отказы за столом

answer-yes-no = (y = да, n = нет)
ask-discard = Сбросить { $card }?
ask-resign = Сдаться? Матч выиграет соперник.
yes-or-no = Ответьте y (да) или n (нет).
wait = Сейчас не ваш ход.
nothing-asked = Вопроса не было.
allowed-keys = Сейчас работают клавиши: { $keys }
allowed-places = Клавиша для каждого места: { $places }; Enter отправляет, Esc возвращает.
no-knock = Стучать рано: после лучшего сброса останется { $left }, предел { $limit }.
no-knock-with = Со сбросом { $card } стучать нельзя: останется слишком много.
no-gin = Это не джин: останутся мёртвые карты.
no-big-gin = Большого джина сейчас нет.
bad-group = Группа { $number } — не сет и не последовательность.
does-not-fit = { $card } не подходит к этой комбинации.
not-all-melded = Для большого джина все одиннадцать карт должны быть в комбинациях; остаётся { $left }.
over-limit = В этой раскладке остаётся { $left }, предел { $limit }.
not-now = Сейчас нельзя.
card-just-taken = Карту, только что взятую из сброса, в этот ход сбросить нельзя.
card-not-held = У вас нет этой карты.
no-hints-here = В этом матче подсказок нет.
hint-later = Подсказки даются, когда нужно сбрасывать.
hint-not-now = Подсказки даются в ваш ход.
connection-lost = Связь потеряна, пробуем снова …
connection-back = Связь восстановлена.
action-refused = Отказ: { $why }

## Команды словами: показывается первая, понимаются все

typed-stock = колода взять к
typed-take = сброс открытая
typed-pass = пас спасовать п
typed-discard = сбросить сбрасываю
typed-knock = стук стучать ст
typed-gin = джин дж
typed-big-gin = большой большойджин
typed-layoff = подкладка подложить
typed-own = свои сам
typed-hint = подсказка подскажи
typed-sort = порядок
typed-help = помощь
typed-table = стол
typed-resign = сдаться сдаюсь
typed-quit = выйти выход
typed-yes = да д
typed-no = нет н
card-example = 7ч
usage-stock = колода
usage-take = сброс
usage-pass = пас
usage-discard = сбросить 7ч  (или просто 7ч)
usage-knock = стук  |  стук 7ч  |  стук 7ч : 3т 4т 5т, 9б 9ч 9п
usage-gin = джин
usage-big-gin = большой
usage-layoff = подкладка  |  подкладка 6ч>a 7ч>a  |  подкладка 6ч>a : 9б 9ч 9п
usage-own = свои
usage-hint = подсказка
usage-sort = порядок  |  порядок комбинации  |  порядок масти  |  порядок достоинства
usage-table = стол
usage-resign = сдаться
usage-quit = выйти
prompt = { $commands } >
prompt-groups = да, нет или ваши группы: 3т 4т 5т, 9б 9ч 9п >
prompt-groups-layoff = да, нет или подкладка и группы: 6ч>a 7ч>a : 9б 9ч 9п >
not-understood = «{ $text }» — не команда и не карта. Команды покажет «помощь».
nothing-typed = Введите команду; их покажет «помощь».
no-card = «{ $text }» — не карта. Карта — это достоинство (A 2-10 J Q K или Т В Д К) и масть (т б ч п): 7ч, 10п, Кб.
no-meld = «{ $text }»: подкладка называет карту и комбинацию, например 6ч>a. Комбинации: { $letters }
no-order = Порядок: комбинации, масти или достоинства.
card-not-in-groups = Карты { $card } нет среди тех, что надо разложить.
card-twice = Карта { $card } названа дважды.
not-a-meld = «{ $text }» — не комбинация: нужны 3–4 карты одного достоинства или 3 и более подряд одной масти, от туза.
groups-or-yes = Ответьте «да», «нет» или назовите группы.

## Страница клавиш

help-title = Клавиши
help-close = Любая клавиша закроет страницу.
help-limit = В этой раздаче стучать можно, если мёртвых очков не больше { $limit }.
help-points = Туз — 1, от 2 до 10 — по числу, картинки — по 10.
help-key-arrows = ← →
help-key-enter = Enter, пробел
help-key-escape = Esc
help-key-stock = s
help-key-take = t
help-key-pass = p
help-key-discard = d
help-key-knock = k
help-key-gin = g
help-key-big-gin = b
help-key-own-groups = m
help-key-layoff = a, e
help-key-hint = h
help-key-order = o
help-key-resign = x
help-key-quit = q
help-arrows = перейти к карте или стопке
help-enter = выбрать карту; ещё раз — сбросить её
help-escape = вернуть выбранную карту
help-stock = взять из колоды
help-take = взять верхнюю карту сброса
help-pass = отказаться от открытой карты
help-discard = сбросить карту
help-knock = стук: сбросить выбранную карту, а если её нет — лучшую
help-gin = джин
help-big-gin = объявить большой джин из одиннадцати карт
help-own-groups = стук со своей раскладкой, где правила это позволяют
help-own = разложить карты самому
help-layoff = после стука: лучшие комбинации и подкладка или свои
help-hint = лучший ход с причиной и сколько могут принести следующие
help-order = порядок карт: комбинации, масти, достоинства
help-sort = изменить порядок карт
help-table = показать стол ещё раз
help-resign = сдаться
help-quit = выйти; матч сохраняется для --resume

## Выбор, начало, выход

plain-welcome = Введите команду или слово «помощь».
choose-ruleset = По каким правилам?
choose-bot = Против кого?
choose-prompt = Номер или название [{ $default }]:
choose-again = Введите номер от 1 до { $count } или название: { $names }
ruleset-short = до 50; короткий матч с большим джином
ruleset-solo = до 100; раскладку и подкладку делаете сами
ruleset-kawu = до 100; сдаёт победитель, карта стука закрыта
ruleset-playgridia = всё решает одна раздача; в сбросе видна одна карта
bot-simple = стучит при первой возможности
bot-heuristic = помнит, что взято и что сброшено
bot-easy = начинающий: видит комбинации и почти не смотрит на вас
bot-normal = взвешивает шансы и то, что отдаёт сброс
bot-hard = немного обдумывает, что может быть у вас
bot-expert = перебирает, что может быть у вас; самый сильный
match-kept = Матч сохранён. Продолжить: { $program } play --resume { $match }
verify-how = Проверить раздачи: { $program } verify { $match }
match-created = Матч { $match }
join-how = Соперник присоединяется так: { $program } join { $match } --server { $server }
waiting = Ждём соперника … (Ctrl-C — выйти, место останется за вами)
no-matches = Матчей нет.
state-open = ждёт
state-running = идёт
state-finished = сыгран
state-aborted = прерван
demo-title = Джин рамми · правила { $ruleset } · эта программа против бота { $bot } · { $match }
demo-server = Матч идёт по gRPC, сервер ginrummy-server { $version }
interrupted = Прервано.

## Правила

rules-how = Все настройки правил: { $program } rules NAME
rules-change-how = Настройка меняется так: { $program } play --ruleset { $ruleset } --rule knock_limit=5
rule-upcard-offer = открытую карту предлагают
rule-knock-limit = предел для стука
rule-knocker-melds = раскладка стучавшего
rule-layoffs = подкладка
rule-gin-bonus = бонус за джин
rule-undercut-bonus = бонус за подрез
rule-undercut-on-tie = при равенстве — подрез
rule-big-gin = большой джин
rule-big-gin-bonus = бонус за большой джин
rule-oklahoma = Оклахома: предел задаёт открытая карта
rule-spades-double = открытая пика удваивает
rule-wall = в колоде осталось две карты
rule-allow-discard-taken = взятую карту можно сразу сбросить
rule-layoff-on-gin = подкладка при джине
rule-target = играют до
rule-dealer-rule = следующим сдаёт
rule-box-bonus = бонус за раздачу
rule-boxes-immediate = бонусы за раздачи сразу
rule-game-bonus = бонус за игру
rule-shutout = всухую: проигравший не взял ни раздачи
rule-shutout-flat-bonus = надбавка за победу всухую
rule-hollywood = Голливуд: три столбца
rule-pile-view = что видно в сбросе
rule-knock-card-face-down = карта стука рубашкой вверх
value-on = да
value-off = нет
value-none = нет
value-single-hand = одна раздача
value-knocker-melds-auto = делает стол
value-knocker-melds-declared = объявляет игрок
value-knocker-melds-either = как захочет игрок
value-layoffs-auto = делает стол
value-layoffs-declared = объявляет соперник
value-layoffs-either = как захочет соперник
value-oklahoma-off = нет
value-oklahoma-ace-is-one = да, туз — 1
value-oklahoma-ace-is-gin = да, туз — только джин
value-wall-dead = мёртвая раздача
value-wall-last-chance = последняя попытка взять и стучать
value-dealer-rule-alternate = по очереди
value-dealer-rule-winner = победитель
value-dealer-rule-loser = проигравший
value-shutout-none = без надбавки
value-shutout-double-game-bonus = бонус за игру вдвое
value-shutout-double-hand-points = очки за раздачи вдвое
value-shutout-double-total = всё вдвое
value-shutout-double-total-before-boxes = всё вдвое, кроме бонусов за раздачи
value-shutout-flat-bonus = твёрдая надбавка
value-pile-view-all = все карты
value-pile-view-top-only = верхняя карта
manners-clock = время на ход
manners-hints = подсказки
manners-bot = обычный бот
seconds = { $seconds } с
clock-of = { $clock } (из { $allowed })

## Проверка раздач

verify-seed = Ключ раздач:   { $seed }
verify-published = Обязательство: { $commitment }
verify-ok = верно
verify-bad = НЕВЕРНО
verify-commitment = ключ раздач тот самый, чей SHA-256 был объявлен
verify-promised = обязательство то самое, что было показано при создании матча
verify-seed-missing = сервер не открыл ключ раздач из 32 байтов
verify-first-dealer = первого сдающего назвал ключ раздач
verify-hand = раздача { $hand }: карты обоих и открытая карта
verify-stock = раздача { $hand }: карта из колоды не та, что там лежала
verify-sequence = не хватает событий
verify-draws = { $count ->
    [one] взята { $count } карта из колоды
    [few] взяты { $count } карты из колоды
   *[many] взято { $count } карт из колоды
}
verify-all-right = Все карты сданы так, как велит ключ раздач.
verify-wrong = Раздачи не совпадают с ключом.

## Ошибки

error = ginrummy: { $what }
try-help = Помощь: { $command } --help
no-server-program = Программа ginrummy-server не установлена. Установите её (pip install "ginrummy-cli[server]") или назовите сервер: --server HOST:PORT
server-did-not-start = Свой сервер не запустился: { $why }
cannot-connect = Сервер { $server } не отвечает ({ $why }).
cannot-read-file = --{ $option } { $file }: { $why }.
no-text-file = --{ $option } { $file }: это не текст.
no-key-in-file = --api-key-file { $file }: нужна одна строка с ключом.
client-cert-and-key = --tls-client-cert и --tls-client-key нужны вместе.
error-bad-key = Этому серверу нужен ключ API, который он знает: --api-key-file FILE или GINRUMMY_API_KEY.
server-needed = Двоим нужен сервер, доступный обоим. Запустите «ginrummy-server --port 50051» и добавьте: --server localhost:50051
no-saved-match = На этом компьютере у вас нет места в матче { $match }.
played-elsewhere = Матч { $match } вы уже играете в другом терминале: продолжайте там или сначала выйдите там.
nothing-to-resume = Неоконченных матчей нет.
seat-is-yours = Свободных мест нет, но одно место ваше: { $program } play --resume { $match } --server { $server }
not-finished = Матч { $match } ещё идёт; раздачи можно проверить, когда он кончится.
input-ended = Ввод закончился.
unknown-ruleset = Правил «{ $name }» здесь нет. Есть: { $allowed }
unknown-bot = Бота «{ $name }» здесь нет. Есть: { $allowed }
bad-rule-name = В правилах нет настройки «{ $name }». Есть: { $allowed }
bad-rule-value = { $name } не может быть «{ $value }». Можно: { $allowed }
bad-rule-number = { $name } — целое число, а не «{ $value }».
seed-or-replay = --seed и --replay нельзя указать вместе.
no-command = Команды «{ $name }» нет. Есть: { $allowed }
no-option = Ключа { $name } здесь нет.
no-option-but = Ключа { $name } здесь нет. Возможно, { $near }?
extra-argument = Для чего здесь { $name }? Это лишнее.
missing-argument = Не указано: { $name }.
bad-value = { $name }: { $why }
option-needs-value = Ключу { $name } нужно значение.
allowed-values = «{ $value }» нельзя. Можно: { $allowed }
allowed-numbers = «{ $value }» нельзя. Можно: от { $least } до { $most }

field-fault = { $what } ({ $option }): { $why }
fault-range = «{ $value }» нельзя. Можно: от { $least } до { $most }
fault-target = «{ $value }» нельзя. Можно: от 50 до 500 или 0 — одна раздача
fault-not-offered = по правилам { $ruleset } можно столько секунд: { $allowed }
fault-shortest-turn = 0 — без часов, иначе не меньше { $least } с
fault-hollywood = нужен счёт до 50–500: у одной раздачи столбцов нет
fault-spades-double = нужна Оклахома (oklahoma=ace_is_one или ace_is_gin)
fault-oklahoma = нужен предел для стука больше 0
fault-big-gin-bonus = нужен большой джин (big_gin=on)
fault-layoffs = можно auto или either
fault-shutout-flat-bonus = бывает только при shutout=flat_bonus, от 1 до 1000
fault-matches-per-pairing = от 2 до 1 000 000, чётное число: каждая раздача играется дважды; с --single-deals любое от 1
fault-entrants = участвуют от двух до восьми ботов, через запятую
fault-label = у каждого должно быть своё имя: one=simple,two=simple
fault-of-matches-per-pairing = матчей у пары
fault-of-entrants = боты
fault-of-label = имена ботов

error-not-your-turn = Сейчас не ваш ход.
error-stale-sequence = Матч ушёл вперёд. Посмотрите и решите заново.
error-match-over = Матч окончен.
error-match-not-over = Матч ещё не окончен.
error-no-open-seat = Свободных мест в этом матче нет.
error-match-not-found = Такого матча на этом сервере нет. Список: { $program } list
error-ruleset-not-found = Таких правил на этом сервере нет. Список: { $program } rules
error-bot-not-found = Бота «{ $bot }» на этом сервере нет. Есть: { $known }
error-bad-token = Сервер не принимает сохранённый ключ этого места, или смотреть этот матч нельзя.
error-wrong-seat = В этом матче вам это не разрешено.
error-seeds-not-allowed = На этом сервере двое не могут выбирать раздачи (ginrummy-server --allow-seeds).
error-wrong-phase = Сейчас нельзя.
error-hand-over = Эта раздача окончена.
error-no-last-chance = Последний сброс можно взять только для стука, а стучать нельзя.
error-must-knock = Эта карта взята для стука: стучите.
error-no-pass = Пасовать не на что.
error-must-draw-stock = От открытой карты отказались; берите из колоды.
error-card-not-in-hand = У вас нет этой карты.
error-discard-just-taken = Карту, только что взятую из сброса, в этот ход сбросить нельзя.
error-bad-melds = Эти группы — не комбинации из ваших карт.
error-over-knock-limit = Останется { $deadwood }, предел { $limit }.
error-big-gin-off = По этим правилам большого джина нет.
error-not-all-melded = Для большого джина все одиннадцать карт должны быть в комбинациях; остаётся { $deadwood }.
error-no-layoff-after-gin = После джина подкладки нет.
error-does-not-fit = { $card } не подходит к этой комбинации.

## Страницы помощи

help-usage = Вызов
help-options = ключи
help-commands = команды
help-command = КОМАНДА
help-examples = примеры
about = Джин рамми в терминале: против бота или вдвоём через один сервер.
examples =
    { $program } demo                           целый матч, событие за событием
    { $program } play                           играть; правила и соперника спросят
    { $program } play --ruleset solo --lang ru
    { $program } play --resume                  продолжить прерванный матч
    { $program } analyze "AS 2S 3S 9D"          комбинации, мёртвые очки, лучший сброс
    { $program } COMMAND --help                 подробнее о команде
short-demo = посмотреть целый матч
about-demo = Запускает свой сервер, играет матч против бота через API, печатает каждое событие вплоть до счёта и останавливает сервер.
examples-demo =
    { $program } demo
    { $program } demo --ruleset kawu --delay 0.5
    { $program } demo --seed вторник            каждый раз те же раздачи
    { $program } demo --json | head             событие на строку
short-play = играть против бота
about-play = Матч против бота. Без --server запускает свой сервер, хранит его матчи в вашей папке состояния и потом останавливает его.
examples-play =
    { $program } play
    { $program } play --ruleset short --bot simple --hints
    { $program } play --ruleset solo --target 200
    { $program } play --rule oklahoma=ace_is_gin --rule spades_double=on
    { $program } play --seed вторник            выбранные раздачи
    { $program } play --replay MATCH            снова раздачи сыгранного матча
    { $program } play --resume                  последний неоконченный матч
short-new = накрыть стол для двоих
about-new = Создаёт на сервере матч со свободным местом, говорит, как присоединиться, ждёт соперника и играет.
examples-new =
    ginrummy-server --port 50051
    { $program } new --server localhost:50051 --name Аня
    { $program } new --server localhost:50051 --ruleset playgridia --turn-time 60
short-join = занять свободное место в матче
about-join = Занимает свободное место в матче и играет.
examples-join =
    { $program } join MATCH --server localhost:50051 --name Боря
    { $program } list --joinable --server localhost:50051
short-watch = смотреть матч
about-watch = Рассказывает матч от начала до конца, насколько его можно знать зрителям.
examples-watch =
    { $program } watch MATCH --server localhost:50051
    { $program } watch MATCH --server localhost:50051 --json
short-list = список матчей
about-list = Матчи сервера, сначала последние; без --server — матчи вашего собственного.
examples-list =
    { $program } list
    { $program } list --joinable --server localhost:50051
short-rules = показать правила
about-rules = Список правил или одни правила со всеми настройками.
examples-rules =
    { $program } rules
    { $program } rules kawu
    { $program } rules short --rule oklahoma=ace_is_gin
short-simulate = сыграть тысячи матчей между ботами
about-simulate = Боты играют друг с другом, а программа показывает, кто как часто выигрывает, чем кончаются раздачи и сколько они стоят, — с 95-процентными интервалами. Каждая раздача играется дважды, с обменом мест, чтобы карточное везение взаимно уничтожилось. Одно и то же --seed даёт один и тот же результат. Ctrl-C заканчивает и показывает сыгранное.
examples-simulate =
    { $program } simulate --ruleset short --bots heuristic,simple --matches 10000
    { $program } simulate --bots simple,simple --rule undercut_bonus=10 --plot undercut.png
    { $program } simulate --bots a=simple,b=simple --single-deals --seed вторник --csv points.csv
    { $program } simulate --bots expert,hard --matches 1000 --detach --server localhost:50051
    { $program } simulate --follow simulations/ID --server localhost:50051
short-analyze = комбинации, мёртвые очки и лучший сброс руки
about-analyze = Говорит, как лучше разложить руку, сколько оставит каждый сброс и можно ли стучать или объявить джин; а с --layoffs-on — как сопернику лучше ответить на стук. Если вместо руки стоит -, рука — каждая строка стандартного ввода.
examples-analyze =
    { $program } analyze "AS 2S 3S 8C 8D 8H TC JC QC KC 9D"
    { $program } analyze Тп 2п 3п 8т 8б 8ч 10т Вт Дт Кт 9б --barred 9б
    { $program } analyze "7H 8H KS AC 2D" --layoffs-on "4H 5H 6H" --layoffs-on "9C 9D 9S"
    { $program } analyze - --json <hands.txt
analyze-melds = Комбинации
analyze-or-melds = Или
analyze-deadwood = Мёртвые карты
analyze-table = На столе
analyze-layoffs = Подложить
analyze-left = Останется
analyze-discard = Сброс
analyze-leaves = останется
analyze-none = нет
analyze-gin = джин
analyze-knock = стук
analyze-big-gin = Большой джин: все одиннадцать карт в комбинациях
analyze-can-gin = Джин, если сбросить { $card }
analyze-can-knock = Можно стучать, сбросив { $card }: останется { $left }
analyze-is-gin = Джин: мёртвых карт нет
analyze-is-knock = В пределах для стука
analyze-best = сбросить { $card }, останется { $left }
analyze-short-layoffs = подложить { $layoffs } · останется { $left }
no-hand = Не названа рука: «AS 2S 3S 9D», или - для строк стандартного ввода.
barred-not-held = Карты { $card } из --barred в руке нет.
one-barred-card = --barred называет одну карту.
too-many-cards = { $count ->
    [one] { $count } карта
    [few] { $count } карты
   *[many] { $count } карт
}: здесь самое большее { $most }.
bad-hand = { $why }
bad-line = строка { $row }: { $why }
bad-lines = { $count ->
    [one] Не прочитана { $count } строка
    [few] Не прочитаны { $count } строки
   *[many] Не прочитано { $count } строк
}
option-layoffs-on = комбинация стучавшего, для подкладки; можно повторять
option-barred = карта, только что взятая из сброса: её сбросить нельзя
option-all = все раскладки с наименьшим числом мёртвых очков
short-verify = проверить раздачи сыгранного матча
about-verify = Проверяет, что карты сыгранного матча сданы как обещано: SHA-256 открытого ключа раздач равен объявленному, и каждая раздача, повторённая по ключу, совпадает с сыгранной. Проверяет сама эта программа и серверу не верит.
examples-verify =
    { $program } verify MATCH
    { $program } verify MATCH --server localhost:50051 --json
option-help = показать эту страницу
option-lang = язык программы; иначе — язык системы
option-server = сервер (или GINRUMMY_SERVER); иначе — свой собственный
option-server-for-two = сервер, доступный обоим (или GINRUMMY_SERVER)
option-version = показать версию
option-tls = говорить с названным сервером по TLS (или GINRUMMY_TLS)
option-tls-ca = кто подписывает сертификат этого сервера (или GINRUMMY_TLS_CA); включает TLS
option-tls-client-cert = сертификат, который показать этому серверу (или GINRUMMY_TLS_CLIENT_CERT)
option-tls-client-key = закрытый ключ к нему (или GINRUMMY_TLS_CLIENT_KEY)
option-api-key-file = ключ API, который спрашивает сервер; или GINRUMMY_API_KEY — сам ключ
option-json = строки JSON вместо текста
option-seed = задаёт раздачи: 64 шестнадцатеричные цифры или любой текст
option-ruleset = playgridia, solo, kawu или short
option-bot = кто играет против вас
option-name = ваше имя для других
option-target = очки для победы в матче; 0 — одна раздача
option-rule = настройка правил; можно повторять; список — «{ $program } rules RULESET»
option-hints = давать подсказки или нет
option-turn-time = секунд на ход; 0 — без часов
option-spectators = что могут видеть другие
option-replay = снова раздать карты этого сыгранного матча
option-resume = продолжить этот матч или последний
option-seat = какое место занять, 1 или 2
option-resume-seat = на каком месте продолжить, если оба ваши
option-delay = секунд паузы после каждого события
option-bots = кто играет: от двух до восьми, каждый с каждым; LABEL=NAME даёт своё имя
option-matches = матчей у каждой пары; чётное число, если раздачи не одиночные
option-single-deals = играть каждую раздачу один раз, а не дважды с обменом мест
option-plot = нарисовать в этот файл (.png, .svg, .pdf)
option-csv = записать числа в этот файл
option-detach = не ждать конца; напечатать имя для --follow
option-follow = показать начатую раньше; Ctrl-C её не заканчивает
option-joinable = только матчи со свободным местом
option-limit = сколько самое большее

## Симуляции

simulation-title = { $ruleset }: сыграно матчей { $done } из { $total }
simulation-cancelled = Остановлено: здесь те матчи, что успели сыграть.
simulation-queued = ждёт места на сервере
simulation-rate = { $rate } матчей/с, осталось { $left }
simulation-entrant = бот
simulation-matches = матчей
simulation-wins = выиграно
simulation-win-rate = доля побед
simulation-points = очков за раздачу
simulation-first-wins = первый выигрывает { $rate }
simulation-totals = разность итогов матча: { $difference }
simulation-hands = раздач: { $hands }, { $each } на матч
simulation-unfinished = { $matches ->
    [one] { $matches } матч не кончился и прерван
    [few] { $matches } матча не кончились и прерваны
   *[other] { $matches } матчей не кончились и прерваны
}
simulation-how = из всех раздач выиграл
simulation-duplicate = В скобках — 95-процентные интервалы. Каждая раздача сыграна дважды, с обменом мест, и считается одним наблюдением.
simulation-single = В скобках — 95-процентные интервалы. Каждая раздача сыграна один раз.
simulation-seed = Ключ: { $seed }
simulation-failed = Симуляция не удалась: { $why }
simulate-needs-server = --detach и --follow нужен сервер, который продолжит работу: --server HOST:PORT.
end-knocks = стук
end-gins = джин
end-big-gins = большой джин
end-undercuts = подрез
end-dead = мёртвая раздача
end-tied = поровну, без очков
plot-format = { $path }: имя картинки кончается на одно из { $allowed }.
plot-needs = Для картинки нужен matplotlib; установите его: pip install 'ginrummy-cli[plot]'
plot-win-rate = выиграно матчей, %, с 95-процентным интервалом
plot-ends = выигранные раздачи по исходам, % всех раздач
plot-points = очки первого за раздачу минус очки второго
plot-share = % раздач
cannot-write = Не удалось записать { $path }: { $why }
no-folder = { $path } не записать: такой папки нет.
error-simulation-not-found = Такой симуляции нет.
