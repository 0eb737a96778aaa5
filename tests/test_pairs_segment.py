"""Where a sentence ends: every kind of full stop that ends none, and every end that bears none."""

from __future__ import annotations

import pytest

from benchmarks.mining import job
from probeta.builders.pairs.corpora import Corpus

SEGMENT = job(has_nominal_and_verb=False).miner(Corpus("c")).segment

#: Each a paragraph with `|` where one sentence ends and the next begins.
CASES = {
    "titles": [
        "El Sr. García llegó tarde.| La Sra. Ruiz no vino.",
        "Lo firmó Dña. Elvira Ponce ante D. Juan y D.ª Luz.| Nadie protestó.",
        "El Excmo. Sr. D. Luis Mas, el Rvdo. P. Gil y la Lcda. Sosa.| Hablaron poco.",
        "El Gral. Prim, el Sgto. Ruiz y el Pdte. Mas.| Después calló.",
        "S. M. el Rey y SS. MM. los Reyes saludaron.| La reina no.",
        "¿Vienes, Sr. Gil?| No.",
        "EL SR. RUIZ NO VINO.| LA SRA. GIL SÍ.",
        "Ud. no sabe nada.| Uds. tampoco.",
        "Se lo dije a Ud.| La próxima vez, no.",
    ],
    "abbreviations": [
        "Compró fruta, p. ej. manzanas.| No compró pan.",
        "Véase p. ej. el núm. 5 de la revista.| Hay otros.",
        "Consta en el art. 14 de la ley, pág. 23, núm. 7.| Se archivó.",
        "El vol. II, cap. 3, trata de ello.| Es claro.",
        "Véase la fig. 2 y la tab. 3.| Son claras.",
        "Así fue (v. gr. en Roma).| Así será.",
        "Pza. Mayor, s/n, esq. C. Mayor.| Madrid.",
        "Compró pan, leche, etc.| Después volvió a casa.",
        "Compró pan, leche, etc., y volvió.| Nadie lo vio.",
        "Según Pérez et al. (2010), sí.| Otros, no.",
        "Op. cit. Pérez, p. 3.| Nada más.",
        "Ocurrió en Bs. As. desde mayo.| Nadie lo supo.",
        "Llame al tel. 915 55 00 00.| Gracias.",
        "Lo hizo la Cía. Ibérica de la Rep. Dominicana.| Nadie más.",
    ],
    "initials and acronyms": [
        "Viajó a EE. UU. desde Cádiz.| Su hermano se quedó.",
        "Viajó a EE. UU.| El gobierno no dijo nada.",
        "Nació en el 300 a. C. en Roma.| Murió joven.",
        "Ganó los JJ. OO. de 2020.| Fueron en Tokio.",
        "Las obras de J. R. R. Tolkien se venden bien.| G. García también.",
        "El informe cita a J. L. Borges.| Otros lo niegan.",
        "La S.A. cerró.| La S.L. sigue.",
        "Trabaja en Telefónica, S. A., desde mayo.| Gana poco.",
        "Según la R.A.E. es correcto.| Otros dudan.",
        "Trabaja en la ONU.| Es jurista.",
        "La ONU.| La OTAN.",
        "Vino con M.ª Luisa, Mª. Paz y Ma. Sol.| Era tarde.",
    ],
    "numbers": [
        "Mide 3.5 metros.| Pesa 1.200 kg y cuesta 12,50 €.",
        "Costó 1.250.000 euros.| Nadie lo pagó.",
        "Nació el 3.12.1980.| Vive en León.",
        "Llegó a las 9.30 h.| La reunión empezó a las 10 a. m. en punto.",
        "La reunión fue a las 5 p. m.| Todos llegaron tarde.",
        "Es el n.º 3.| El n.º 4 falta.",
        "El 1.er premio fue suyo.| El 2.º, no.",
        "El artículo 3.º lo prohíbe.| El 4.º, no.",
        "Era el Metropolis No. 1 de la lista.| Ganó.",
        "El virus mutó.| 2020 fue peor.",
        "Tuvo T.ª de 37,5 °C.| La PA era de 120/80 mmHg.",
    ],
    "lists and headings": [
        "1. Abrir el grifo.| 2. Cerrar la llave.",
        "I. Introducción.| II. Método.",
        "1.1. Faros.| 1.2. Puertos.",
        "Primero: 1) leer; 2) escribir.| Después se verá.",
        "a) Se cierra el muelle.| b) Se avisa a los barcos.",
        "Se acordó a) cerrar el muelle y b) avisar a los barcos.",
        "Art. 5.- El dueño paga.| Art. 6.- El inquilino, no.",
        "PRIMERO.- El dueño.| SEGUNDO.- El otro.",
        "EL TRIBUNAL NIEGA EL RECURSO.| EL ACTOR APELA.",
        "CAPÍTULO I El faro.| Nadie lo vio.",
    ],
    "ellipses": [
        "No sé...| Quizá mañana.",
        "Se fue…| Nadie lo notó.",
        "Esperó… y al final se fue.| Nadie lo vio.",
        "Dijo que… bueno, nada.",
        "Bueno..., no sé.| Quizá.",
        "Dijo adiós...| ¿Volverá?",
    ],
    "questions and exclamations": [
        "Pero ¿qué quieres?| Nada, ¡por Dios!, nada.",
        "¡Ay! exclamó la niña.| Luego calló.",
        "¿Por qué?, preguntó.| Nadie contestó.",
        "¿Qué?!| No puede ser.",
        "¡¡¡Gol!!!| La grada gritó.",
        "Dijo «¡basta!» y se fue.| Nadie rio.",
    ],
    "quotes": [
        "«No iré.»| Ana se fue.",
        "Dijo: «No iré».| Ana se fue.",
        "Gritó: «¡Fuego!».| Todos corrieron.",
        "¿Vendrá «mañana»?| Nadie lo sabe.",
        'Lo llamó "tonto."| Ella rio.',
        "«Voy», dijo.| «No tardes.»| Y se fue.",
        "(Nadie lo vio.)| El tren salió.",
    ],
    "dialogue": [
        "—¿Vienes? —preguntó Ana.| Él no contestó.",
        "—No lo sé —dijo Juan—.| Pregunta a tu madre.",
        "—Ven.| —No quiero.| —Pues quédate.",
        "-Ven.| -No quiero.",
        "—Ven —dijo.|—No puedo.",
        "—¿Qué hacen las máscaras?|-En resumen, decidid.",
    ],
    "addresses": [
        "Consulte www.ejemplo.es.| Es gratis.",
        "Visite https://www.uv.es/a.b/c.html?x=1.2 hoy.| Es útil.",
        "Escriba a ana.ruiz@uv.es.| Gracias por todo.",
        "Abra el archivo datos.csv con el programa.| Ciérrelo después.",
    ],
    "no space": [
        "Era de Madrid.|Su madre, de Cádiz.",
        "Lo dijo Borges.[3]| Otros lo niegan.",
        "Terminó en 2010.3| Sin embargo, volvió.",
    ],
}


@pytest.mark.parametrize(
    ("junk", "sentences"),
    [
        ("." * 300_000, 1),
        ("!?" * 150_000 + " Fin.", 2),
        ("…»" * 150_000, 1),
        ("A. " * 100_000, 60),
        ("a) " * 100_000, 1),
        ("«" * 300_000, 1),
    ],
    ids=["dots", "marks", "closers", "initials", "items", "openers"],
)
def test_what_is_no_prose_takes_no_longer(junk: str, sentences: int) -> None:
    # Where a pattern tried a run anew at each of its characters, these would take hours.
    found = SEGMENT(" ".join(junk.split()))
    assert "".join("".join(found).split()) == "".join(junk.split())
    assert len(found) == sentences


@pytest.mark.parametrize(
    "marked", [pytest.param(case, id=f"{kind}: {case}") for kind, cases in CASES.items() for case in cases]
)
def test_where_sentences_end(marked: str) -> None:
    assert SEGMENT(marked.replace("|", "")) == [part.strip() for part in marked.split("|")]
