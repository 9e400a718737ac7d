"""x"""
from schemas.question import QuestionType
def question_type(draft, discipline): return QuestionType.SHORT_ANSWER
