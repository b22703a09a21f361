"""JSON and its canonical form: docs/format.md, section 3."""
import decimal, json, re


class Refused(Exception):
    """Breaks a rule of the format."""


def require(condition, what):
    if not condition:
        raise Refused(what)


def number(value):
    """A double as ECMAScript writes it."""
    if value == 0:
        return "0"
    sign, digits, exponent = decimal.Decimal(repr(value)).normalize().as_tuple()
    text, point = "".join(map(str, digits)), len(digits) + exponent
    if len(text) <= point <= 21:
        text += "0" * (point - len(text))
    elif 0 < point <= 21:
        text = text[:point] + "." + text[point:]
    elif -6 < point <= 0:
        text = "0." + "0" * -point + text
    else:
        text = text[0] + ("." + text[1:] if len(text) > 1 else "") + "e%+d" % (point - 1)
    return "-" * sign + text


def canonical_text(value, depth):
    if type(value) in (dict, list):
        require(depth > 0, "nesting")
    if type(value) is dict:
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        members = (canonical_text(key, 0) + ":" + canonical_text(value[key], depth - 1) for key in keys)
        return "{" + ",".join(members) + "}"
    if type(value) is list:
        return "[" + ",".join(canonical_text(item, depth - 1) for item in value) + "]"
    return number(value) if type(value) is float else json.dumps(value, ensure_ascii=False)


def canonical(value, depth=128):
    return canonical_text(value, depth).encode()


def parse_json(data):
    """The value of a JSON text. Its integers inside Int64 are int, its other numbers float."""
    def integer(text):
        if len(text) <= 20 and -2**63 <= int(text) < 2**63:
            return int(text)
        require(number(real(text)) == text, "integer beyond Int64")
        return float(text)

    def real(text):
        value = float(text)
        require(abs(value) != float("inf"), "number too large")
        require(value != 0 or not re.search("[1-9]", re.split("[eE]", text)[0]), "number too small")
        return value

    def members(pairs):
        require(len(dict(pairs)) == len(pairs), "duplicate key")
        return dict(pairs)

    def constant(name):
        raise Refused(name)

    try:
        return json.loads(data.decode(), parse_int=integer, parse_float=real, parse_constant=constant,
                          object_pairs_hook=members)
    except (ValueError, RecursionError) as error:
        raise Refused("JSON: %s" % error) from None


def parse_canonical(data, depth=128):
    value = parse_json(data)
    try:
        require(canonical(value, depth) == data, "not canonical")
    except UnicodeError:
        raise Refused("lone surrogate") from None
    return value


def is_hex(value, count):
    return type(value) is str and re.fullmatch("[0-9a-f]{%d}" % (2 * count), value) is not None


def is_integer(value, least, greatest=2**63 - 1):
    return type(value) is int and least <= value <= greatest
